// prototype/donor/inspect/inspect-donor.ts: runs the read-only inspection script on the donor.
import { UserError } from '../../../base/errors.ts';
import type { Cluster, ScriptResult } from '../../../cluster/cluster.ts';
import { privateOutput } from '../../../cluster/private-output.ts';
import { inspectScript } from './inspect-script.ts';
import { type Inspection, parseInspection } from './inspection.ts';

const DEADLINE_MS = 3 * 60_000;

/** Whether others can read a script's output: a pod's log is collected by others, a private channel is not. */
export type ScriptChannel = 'logged' | 'private';

/** The output may contain the pool's bootstrap, so it leaves the node encrypted if others could read it. */
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
  // Show stderr only if it came over a private channel and not through a pod's log.
  const lastLine =
    channel === 'private' && ran.exitCode !== 0 ? ran.stderr.trim().split('\n').at(-1)?.slice(0, 200) : '';
  throw new UserError(
    `${nodeName} could not be inspected: the output of the script is incomplete${lastLine && ` (${lastLine})`}`,
    {
      code: 'prototype/not-inspected',
      kept: 'Nothing was changed.',
      next: `run the same command again; if it fails again, check ${channel === 'logged' ? 'the helper pod' : 'the node'}`,
      exitCode: 1,
    },
  );
}

function unchanged(result: ScriptResult): ScriptResult {
  return result;
}
