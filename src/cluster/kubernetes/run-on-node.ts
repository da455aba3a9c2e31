// cluster/kubernetes/run-on-node.ts: runs a script on a node through a helper pod.
import { TransientError, UserError } from '../../base/errors.ts';
import type { Cluster, ScriptResult } from '../cluster.ts';
import type { Client } from './connect.ts';
import { type HelperOptions, helperPod } from './helper-pod.ts';
import { parseFrame } from './run-frame.ts';
import { podRunner } from './run-pod.ts';

export function runCalls(client: Client, helper: HelperOptions | undefined): Pick<Cluster, 'runOnNode'> {
  const runPod = podRunner(client);
  return {
    runOnNode: async (nodeName, script, { deadlineMs, signal }): Promise<ScriptResult> => {
      if (helper === undefined) throw noImage();
      const pod = helperPod({ ...helper, nodeName, namespace: client.namespace, script, deadlineMs });
      const result = parseFrame(await runPod(pod, { nodeName, deadlineMs, signal, what: 'the script' }));
      if (result) return result;
      throw new TransientError(`the output of the script on ${nodeName} is incomplete`, { code: 'cluster/run-cut' });
    },
  };
}

function noImage(): UserError {
  return new UserError('no image is set for the helper pod that runs scripts on a node', {
    code: 'cluster/no-helper-image',
    kept: 'Nothing was touched.',
    next: 'give an image that has nsenter with --helper-image',
  });
}
