// prototype/run/seal.ts: runs the seal on the donor, or takes it off again, and believes only what it reads back.
import { UserError } from '../../base/errors.ts';
import { parseItems } from '../../clone-check/result.ts';
import { parseSealResult, sealScript, unsealScript } from '../../clone-check/seal-script.ts';
import type { Cluster } from '../../cluster/cluster.ts';

const DEADLINE_MS = 5 * 60_000;

export function sealNode(cluster: Cluster, nodeName: string, vmId: string, signal: AbortSignal): Promise<void> {
  return seal(cluster, nodeName, sealScript({ vmId, nodeName }), signal);
}

/** One that is in no cluster has no kubelet to hold back, and no credentials in its name. */
export function sealMachine(cluster: Cluster, nodeName: string, vmId: string, signal: AbortSignal): Promise<void> {
  return seal(cluster, nodeName, sealScript({ vmId }), signal);
}

async function seal(cluster: Cluster, nodeName: string, script: string, signal: AbortSignal): Promise<void> {
  const { stdout } = await cluster.runOnNode(nodeName, script, { deadlineMs: DEADLINE_MS, signal });
  const { isSealed, problems } = parseSealResult(stdout);
  if (isSealed) return;
  throw new UserError(`${nodeName} could not be sealed: ${problems.join('; ')}`, {
    code: 'prototype/not-sealed',
    kept: 'Nothing was captured: a copy of it would have been its twin.',
    next: 'mend what is named above on the node, then run the same command again',
    exitCode: 1,
  });
}

/** On a node that has none, too: there is nothing to do then. */
export async function unsealNode(cluster: Cluster, nodeName: string, signal: AbortSignal): Promise<void> {
  const { exitCode, stdout } = await cluster.runOnNode(nodeName, unsealScript(), { deadlineMs: DEADLINE_MS, signal });
  const items = parseItems(stdout);
  const failed = items
    .filter(({ state }) => state === 'failed')
    .map(({ name, reason }) => `${name}: ${reason ?? 'failed'}`);
  // The owner goes last: said of it, everything was tried.
  if (exitCode === 0 && failed.length === 0 && items.some(({ name }) => name === 'owner')) return;
  throw new UserError(
    `the clone check could not be removed from ${nodeName}: ${failed.join('; ') || 'its answer is incomplete'}`,
    {
      code: 'prototype/not-unsealed',
      kept: 'The node works as before: on its own machine the check does nothing.',
      next: 'mend what is named above on the node, then run the same command again; or leave --unseal out',
      exitCode: 4,
    },
  );
}
