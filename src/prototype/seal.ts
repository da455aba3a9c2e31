// prototype/seal.ts: runs the seal on the donor and believes only what it reads back.
import { UserError } from '../base/errors.ts';
import { parseSealResult, sealScript } from '../clone-check/seal-script.ts';
import type { Cluster } from '../cluster/cluster.ts';

const DEADLINE_MS = 5 * 60_000;

export async function sealNode(cluster: Cluster, nodeName: string, vmId: string, signal: AbortSignal): Promise<void> {
  const { stdout } = await cluster.runOnNode(nodeName, sealScript({ vmId, nodeName }), {
    deadlineMs: DEADLINE_MS,
    signal,
  });
  const { isSealed, problems } = parseSealResult(stdout);
  if (isSealed) return;
  throw new UserError(`${nodeName} could not be sealed: ${problems.join('; ')}`, {
    code: 'prototype/not-sealed',
    kept: 'Nothing was captured: a copy of it would have been its twin.',
    next: 'mend what is named above on the node, then run the same command again',
    exitCode: 1,
  });
}
