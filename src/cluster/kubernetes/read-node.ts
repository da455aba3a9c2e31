// cluster/kubernetes/read-node.ts: reads a node through the API server alone: its object, and the output of a script in a read-only pod.
import { constants, gunzipSync } from 'node:zlib';
import { TransientError, UserError } from '../../base/errors.ts';
import type { NodeReader } from '../cluster.ts';
import type { Client } from './connect.ts';
import { connectCluster, type KubeConnectOptions } from './connect.ts';
import type { HelperOptions } from './helper-pod.ts';
import { readerPod } from './reader-pod.ts';
import { parseFrameBytes } from './run-frame.ts';
import { podRunner } from './run-pod.ts';

const MAX_BYTES = 512 << 20;

/** Loads the official client, which is heavy: call it only in verbs that need a cluster. */
export async function kubernetesNodeReader(options: KubeConnectOptions, helper: HelperOptions): Promise<NodeReader> {
  return nodeReader(await connectCluster(options), helper);
}

export function nodeReader(client: Client, helper: HelperOptions): NodeReader {
  const { core, find, namespace } = client;
  const runPod = podRunner(client);
  return {
    async readObject(name, signal) {
      const request = { verb: 'get', resource: 'nodes', name };
      const node = await find(request, (options) => core.readNode({ name }, options), { signal });
      return node && JSON.stringify({ apiVersion: 'v1', kind: 'Node', ...node });
    },
    async runReadOnly(nodeName, script, { deadlineMs, signal }) {
      const pod = readerPod({ ...helper, nodeName, namespace, script: packed(script), deadlineMs });
      const log = await runPod(pod, { nodeName, deadlineMs, signal, what: 'reading the boot data' });
      const frame = parseFrameBytes(log);
      if (!frame) throw noFrame(nodeName, log);
      if (frame.stdout.length > 0) return unpacked(frame.stdout, nodeName);
      throw failed(nodeName, frame.stderr.trim().split('\n').at(-1) || `exit code ${frame.exitCode}`);
    },
  };
}

/** Kubelet keeps only 10 MiB of a pod's log, and a boot's journal shrinks to a tenth. */
function packed(script: string): string {
  return `{\n${script}\n} | gzip -c`;
}

function unpacked(bytes: Buffer, nodeName: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    throw new TransientError(`the output of the pod on ${nodeName} is damaged`, {
      code: 'cluster/run-cut',
      cause: error,
    });
  }
}

/** The program of the pod did not start, or kubelet rotated the log away. */
function noFrame(nodeName: string, log: string): Error {
  const last = log.trim().split('\n').at(-1)?.slice(0, 200);
  if (log.length < 4096 && last) return failed(nodeName, last);
  return new TransientError(`the output of the pod on ${nodeName} is incomplete`, { code: 'cluster/run-cut' });
}

function failed(nodeName: string, why: string): UserError {
  return new UserError(`could not read ${nodeName}: ${why}`, {
    code: 'cluster/read-failed',
    kept: 'The pod was removed; nothing was changed on the node.',
    next: 'the node needs /bin/sh and gzip, the image nsenter (--helper-image); else use `headstart boot collect --host USER@HOST`',
    exitCode: 1,
  });
}
