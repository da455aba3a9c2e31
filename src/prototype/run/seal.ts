// prototype/run/seal.ts: seals the donor or removes the seal, and checks the result that the script reports.
import { UserError } from '../../base/errors.ts';
import { parseItems } from '../../clone-check/result.ts';
import { parseSealResult, sealScript, unsealScript } from '../../clone-check/seal-script.ts';
import type { Cluster } from '../../cluster/cluster.ts';

const DEADLINE_MS = 5 * 60_000;

export function sealNode(cluster: Cluster, nodeName: string, vmId: string, signal: AbortSignal): Promise<void> {
  return seal(cluster, nodeName, sealScript({ vmId, nodeName }), signal);
}

/** For a machine outside any cluster: it has no kubelet to hold back and no credentials in its name. */
export function sealMachine(cluster: Cluster, nodeName: string, vmId: string, signal: AbortSignal): Promise<void> {
  return seal(cluster, nodeName, sealScript({ vmId }), signal);
}

async function seal(cluster: Cluster, nodeName: string, script: string, signal: AbortSignal): Promise<void> {
  const { stdout } = await cluster.runOnNode(nodeName, script, { deadlineMs: DEADLINE_MS, signal });
  const { isSealed, problems } = parseSealResult(stdout);
  if (isSealed) return;
  throw new UserError(`${nodeName} could not be sealed: ${problems.join('; ')}`, {
    code: 'prototype/not-sealed',
    kept: 'Nothing was captured: a clone would have had the identity of the donor.',
    next: 'fix these problems on the node, then run the same command again',
    exitCode: 1,
  });
}

/** Does nothing on a node that is not sealed. */
export async function unsealNode(cluster: Cluster, nodeName: string, signal: AbortSignal): Promise<void> {
  const { exitCode, stdout } = await cluster.runOnNode(nodeName, unsealScript(), { deadlineMs: DEADLINE_MS, signal });
  const items = parseItems(stdout);
  const failed = items
    .filter(({ state }) => state === 'failed')
    .map(({ name, reason }) => `${name}: ${reason ?? 'failed'}`);
  // The script removes the owner last, so a line about it shows that the script got to the end.
  if (exitCode === 0 && failed.length === 0 && items.some(({ name }) => name === 'owner')) return;
  throw new UserError(
    `the clone check could not be removed from ${nodeName}: ${failed.join('; ') || 'the output of the script is incomplete'}`,
    {
      code: 'prototype/not-unsealed',
      kept: 'The node works as before: the clone check does nothing on its own machine.',
      next: 'fix these problems on the node, then run the same command again; or leave out --unseal',
      exitCode: 4,
    },
  );
}
