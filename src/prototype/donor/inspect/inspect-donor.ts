// prototype/donor/inspect/inspect-donor.ts: looks at the donor from inside, read-only.
import { UserError } from '../../../base/errors.ts';
import type { Cluster, ScriptResult } from '../../../cluster/cluster.ts';
import { privateOutput } from '../../../cluster/private-output.ts';
import { inspectScript } from './inspect-script.ts';
import { type Inspection, parseInspection } from './inspection.ts';

const DEADLINE_MS = 3 * 60_000;

/** Who else could read what a script prints: a pod's log is collected by others, a channel of our own by nobody. */
export type ScriptChannel = 'logged' | 'private';

/** The answer may hold the pool's bootstrap, so it leaves the node encrypted where others could read it. */
export async function inspectDonor(
  cluster: Cluster,
  nodeName: string,
  signal: AbortSignal,
  channel: ScriptChannel = 'logged',
): Promise<Inspection> {
  const plain = inspectScript({ nodeName, wantsCustomData: true });
  const { script, open } = channel === 'logged' ? privateOutput(plain) : { script: plain, open: unchanged };
  const ran = await cluster.runOnNode(nodeName, script, { deadlineMs: DEADLINE_MS, signal });
  const inspection = parseInspection(open(ran).stdout);
  if (inspection.isComplete) return inspection;
  // What a pod says on its standard error has gone through a log; on a channel of our own it is worth telling.
  const said = channel === 'private' && ran.exitCode !== 0 ? ran.stderr.trim().split('\n').at(-1)?.slice(0, 200) : '';
  throw new UserError(`${nodeName} could not be inspected: its answer is incomplete${said && ` (${said})`}`, {
    code: 'prototype/not-inspected',
    kept: 'Nothing was changed.',
    next: `run the same command again; if it stays so, look at ${channel === 'logged' ? 'the helper pod' : 'the node'}`,
    exitCode: 1,
  });
}

function unchanged(result: ScriptResult): ScriptResult {
  return result;
}
