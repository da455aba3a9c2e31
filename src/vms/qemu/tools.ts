// vms/qemu/tools.ts: run one of the programs that pools are made with, and say what to do when it is missing or fails.
import type { Argv, RunCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';

const PACKAGES: Readonly<Record<string, string>> = {
  'qemu-img': 'qemu-utils',
  'qemu-system-x86_64': 'qemu-system-x86',
  genisoimage: 'genisoimage',
  'ssh-keygen': 'openssh-client',
  cp: 'coreutils',
};

/** How setpriv(1), as any shell, tells that there is no such program. */
const NOT_FOUND = 127;
/** Copying and compressing a large disk on a busy machine takes long; that it hangs is for the user to decide. */
const DEADLINE_MS = 60 * 60_000;

/** A tool that outlives a command which was killed would go on writing to what the next one is about to remove. */
export const dyingWithUs = (argv: Argv): Argv => ['setpriv', '--pdeathsig', 'KILL', ...argv];

/** Its standard output. Throws the signal's reason when told to stop. */
export async function runTool(run: RunCommand, argv: Argv, signal?: AbortSignal): Promise<string> {
  signal?.throwIfAborted();
  const [program] = argv;
  const { outcome, code, stdout, stderr } = await run(dyingWithUs(argv), { timeoutMs: DEADLINE_MS, signal });
  if (outcome === 'exited' && code === 0) return stdout.toString();
  signal?.throwIfAborted();
  if (outcome === 'missing' || code === NOT_FOUND)
    throw new UserError(`the program ${program} is missing`, {
      code: 'vms/missing-program',
      next: `install the package ${PACKAGES[program] ?? program}`,
      exitCode: 1,
    });
  const said = stderr.trim().slice(-2000);
  throw new UserError(`${program} ${outcome === 'exited' ? `failed with ${code}` : outcome}${said && `: ${said}`}`, {
    code: 'vms/tool-failed',
    exitCode: 1,
  });
}
