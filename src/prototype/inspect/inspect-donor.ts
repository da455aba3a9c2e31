// prototype/inspect/inspect-donor.ts: looks at the donor from inside, read-only, and says what speaks against cloning it.
import { UserError } from '../../base/errors.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { privateOutput } from '../../cluster/private-output.ts';
import { inspectScript } from './inspect-script.ts';
import { type Inspection, parseInspection } from './inspection.ts';
import { joinMethod } from './join-method.ts';
import { describeReference, staticReferences } from './static-references.ts';

const DEADLINE_MS = 3 * 60_000;

/** The answer may hold the pool's bootstrap, so it leaves the node encrypted: a pod's log is read by others. */
export async function inspectDonor(cluster: Cluster, nodeName: string, signal: AbortSignal): Promise<Inspection> {
  const { script, open } = privateOutput(inspectScript({ nodeName, wantsCustomData: true }));
  const inspection = parseInspection(
    open(await cluster.runOnNode(nodeName, script, { deadlineMs: DEADLINE_MS, signal })).stdout,
  );
  if (inspection.isComplete) return inspection;
  throw new UserError(`${nodeName} could not be inspected: its answer is incomplete`, {
    code: 'prototype/not-inspected',
    kept: 'Nothing was changed.',
    next: 'run the same command again; if it stays so, look at the helper pod',
    exitCode: 1,
  });
}

/** Each with the file and line, or the credential, it is about. */
export function cloneObstacles(inspection: Inspection, nodeName: string, nowMs: number): string[] {
  const join = joinMethod(inspection, { nodeName, nowMs });
  return [
    ...staticReferences(inspection).map((reference) => `${describeReference(reference)}, which a clone would inherit`),
    ...(join.kind === 'none' ? [`a clone could not join the cluster: ${join.reasons.join('; ')}`] : []),
  ];
}
