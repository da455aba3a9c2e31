// node/apply/steps/step-command.ts: how does a step have something done by others: by a program, or by whoever has the Node's credential?
import type { Argv } from '../../../base/command.ts';
import type { ReasonCode } from '../../reason-codes.ts';
import type { ApplyDeps } from '../contract.ts';
import { commandFailed } from '../failures.ts';

/** What a step may use of the world. */
export type ExecutionDeps = Pick<ApplyDeps, 'clock' | 'disk' | 'look' | 'run' | 'node' | 'probes' | 'root'>;

/** A unit may take its time to stop; systemd's own patience ends after a minute and a half. */
const COMMAND_TIMEOUT_MS = 180_000;

/** Throws a StepFailed of this code when it does not succeed. */
export async function command(
  argv: Argv,
  { run }: Pick<ApplyDeps, 'run'>,
  { code = 'apply/command-failed', input }: { code?: ReasonCode; input?: string } = {},
): Promise<void> {
  const ran = await run(argv, { timeoutMs: COMMAND_TIMEOUT_MS, ...(input !== undefined && { input }) });
  if (ran.outcome !== 'exited' || ran.code !== 0) throw commandFailed(code, argv.join(' '), ran);
}

/** As programs see it. */
export function pathBelowRoot(path: string, { root }: Pick<ApplyDeps, 'root'>): string {
  return root === '/' ? path : `${root}${path}`;
}

/** Where it is no matter why not: it is asked for again. */
export async function hasSucceeded(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch {
    return false;
  }
}
