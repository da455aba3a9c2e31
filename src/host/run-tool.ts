// host/run-tool.ts: run a program of `required-tools.ts`, with a helpful error when it is missing or fails.
import type { RunCommand } from '../base/command.ts';
import { UserError } from '../base/errors.ts';
import { packageOf, type ToolArgv } from './required-tools.ts';

/** The exit code of setpriv(1), as of shells, for a missing program. */
const NOT_FOUND = 127;
/** Generous: copying and compressing a large disk on a busy machine takes long. */
const DEADLINE_MS = 60 * 60_000;

/** Otherwise a tool would survive a killed command and write to files that the next command removes. */
export const killedWithParent = (argv: ToolArgv): ToolArgv => ['setpriv', '--pdeathsig', 'KILL', ...argv];

/** Returns standard output. Throws the signal's reason on abort. */
export async function runTool(run: RunCommand, argv: ToolArgv, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted();
  const program = programOf(argv);
  const { outcome, code, stdout, stderr } = await run(killedWithParent(argv), { timeoutMs: DEADLINE_MS, signal });
  if (outcome === 'exited' && code === 0) return stdout.toString();
  signal?.throwIfAborted();
  if (outcome === 'missing' || code === NOT_FOUND) throw missingProgram(program);
  const output = stderr.trim().slice(-2000);
  throw new UserError(
    `${program} ${outcome === 'exited' ? `failed with ${code}` : outcome}${output && `: ${output}`}`,
    {
      code: 'vms/tool-failed',
      exitCode: 1,
    },
  );
}

export function missingProgram(program: string, cause?: unknown): UserError {
  const from = packageOf(program);
  return new UserError(`the program ${program} is missing`, {
    code: 'vms/missing-program',
    next:
      from === undefined
        ? `install the package that has ${program}, then run the same command again`
        : `install the package ${from} (on Debian and Ubuntu: sudo apt-get install ${from}), then run the same command again`,
    exitCode: 1,
    cause,
  });
}

/** Skips env(1) and its settings. */
function programOf(argv: ToolArgv): string {
  if (argv[0] !== 'env') return argv[0];
  return argv.slice(1).find((word) => word !== 'env' && !/^-|^\w+=/.test(word)) ?? 'env';
}
