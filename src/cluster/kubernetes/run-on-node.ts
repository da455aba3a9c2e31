// cluster/kubernetes/run-on-node.ts: runs a script on a node through a helper pod, and always removes the pod.
import type { V1Pod } from '@kubernetes/client-node';
import { TransientError, UserError } from '../../base/errors.ts';
import { Conflict } from '../../base/failures.ts';
import type { Cluster, ScriptResult } from '../cluster.ts';
import type { Client } from './connect.ts';
import { HELPER_CONTAINER, type HelperOptions, helperName, helperPod, stateOf } from './helper-pod.ts';
import { parseFrame } from './run-frame.ts';

const POLL_MS = 500;
/** Limit for removing the pod afterwards. */
const CLEAN_UP_MS = 15_000;

export function runCalls(client: Client, helper: HelperOptions | undefined): Pick<Cluster, 'runOnNode'> {
  const { core, clock, namespace, call, find } = client;
  const request = (verb: string, name: string, resource = 'pods') => ({ verb, resource, name, namespace });

  const read = (name: string, signal?: AbortSignal) =>
    find(request('get', name), (options) => core.readNamespacedPod({ name, namespace }, options), { signal });

  const remove = (name: string, signal?: AbortSignal) =>
    find(
      request('delete', name),
      (options) => core.deleteNamespacedPod({ name, namespace, body: { gracePeriodSeconds: 1 } }, options),
      { signal },
    );

  /** Waits until it is gone: a pod that is marked for deletion may still run its script. */
  async function removeAndWait(name: string, untilMs: number, signal?: AbortSignal): Promise<void> {
    for (let pod = await read(name, signal); pod; pod = await read(name, signal)) {
      if (!pod.metadata?.deletionTimestamp) await remove(name, signal);
      if (clock.nowMs() >= untilMs)
        throw new TransientError(`helper pod ${name} does not terminate`, { code: 'cluster/helper-stays' });
      await clock.sleep(POLL_MS, signal);
    }
  }

  /** Ignores the caller's signal, so that an interrupted run cleans up too. The next run removes a pod that stays. */
  async function cleanUp(name: string): Promise<void> {
    try {
      await removeAndWait(name, clock.nowMs() + CLEAN_UP_MS);
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
    }
  }

  async function create(pod: V1Pod, signal?: AbortSignal): Promise<void> {
    const name = pod.metadata?.name ?? '';
    try {
      await call(request('create', name), (options) => core.createNamespacedPod({ namespace, body: pod }, options), {
        signal,
      });
    } catch (error) {
      if (error instanceof Conflict) {
        throw new TransientError(`another run uses helper pod ${name}`, { code: 'cluster/helper-busy', cause: error });
      }
      throw error;
    }
  }

  async function readLog(name: string, signal?: AbortSignal): Promise<string> {
    return call(
      request('get', name, 'pods/log'),
      (options) => core.readNamespacedPodLog({ name, namespace, container: HELPER_CONTAINER }, options),
      { signal },
    );
  }

  async function waitForEnd(name: string, nodeName: string, untilMs: number, signal?: AbortSignal): Promise<void> {
    for (;;) {
      const pod = await read(name, signal);
      if (!pod) throw new TransientError(`helper pod ${name} was deleted`, { code: 'cluster/helper-gone' });
      const state = stateOf(pod);
      if (state.is === 'ended') return;
      if (clock.nowMs() >= untilMs) throw notInTime(nodeName, state.is === 'waiting' ? state.reason : undefined);
      await clock.sleep(POLL_MS, signal);
    }
  }

  return {
    runOnNode: async (nodeName, script, { deadlineMs, signal }): Promise<ScriptResult> => {
      if (helper === undefined) throw noImage();
      const name = helperName(nodeName, helper);
      const untilMs = clock.nowMs() + deadlineMs;
      const pod = helperPod({ ...helper, nodeName, namespace, script, deadlineMs });
      await removeAndWait(name, untilMs, signal);
      let result: ScriptResult | undefined;
      try {
        await create(pod, signal);
        await waitForEnd(name, nodeName, untilMs, signal);
        result = parseFrame(await readLog(name, signal));
      } catch (error) {
        await cleanUp(name).catch(() => undefined); // report the first error
        throw error;
      }
      await cleanUp(name);
      if (result) return result;
      throw new TransientError(`the output of the script on ${nodeName} is incomplete`, { code: 'cluster/run-cut' });
    },
  };
}

function notInTime(nodeName: string, waitsFor: string | undefined): UserError {
  const why = waitsFor === undefined ? 'the script is still running' : `its pod has not started (${waitsFor})`;
  return new UserError(`the script on ${nodeName} timed out: ${why}`, {
    code: 'cluster/run-timeout',
    kept: 'The helper pod was removed.',
    next: `check that the helper image can be pulled on ${nodeName} (a private registry needs --helper-pull-secret) and that its kubelet answers, then run the same command again`,
    exitCode: 1,
  });
}

function noImage(): UserError {
  return new UserError('no image is set for the helper pod that runs scripts on a node', {
    code: 'cluster/no-helper-image',
    kept: 'Nothing was touched.',
    next: 'give an image that has nsenter with --helper-image',
  });
}
