// node/apply/steps/step-command.ts: how does a step run a program or call the API server?
import type { Argv } from '../../../base/command.ts';
import type { ReasonCode } from '../../reason-codes.ts';
import type { ApplyDeps } from '../contract.ts';
import { commandFailed } from '../failures.ts';

export type ExecutionDeps = Pick<ApplyDeps, 'clock' | 'disk' | 'host' | 'run' | 'node' | 'probes' | 'root'>;

/** Longer than systemd's default stop timeout of 90 s. */
const COMMAND_TIMEOUT_MS = 180_000;

/** Throws a StepFailed with `code` if the command fails. */
export async function command(
  argv: Argv,
  { run }: Pick<ApplyDeps, 'run'>,
  { code = 'apply/command-failed', input }: { code?: ReasonCode; input?: string } = {},
): Promise<void> {
  const ran = await run(argv, { timeoutMs: COMMAND_TIMEOUT_MS, ...(input !== undefined && { input }) });
  if (ran.outcome !== 'exited' || ran.code !== 0) throw commandFailed(code, argv.join(' '), ran);
}

/** The path that a program must use to reach a file of the node. */
export function pathBelowRoot(path: string, { root }: Pick<ApplyDeps, 'root'>): string {
  return root === '/' ? path : `${root}${path}`;
}

/** For operations that are retried later, whatever the failure. */
export async function hasSucceeded(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch {
    return false;
  }
}
