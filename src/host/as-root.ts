// host/as-root.ts: run commands as root, or as root of a user namespace. Unpacking packages needs it for file owners and devices.
import type { Argv, RunCommand } from '../base/command.ts';
import { UserError } from '../base/errors.ts';
import { killedWithParent } from './run-tool.ts';

/** The caller's texts for the error. */
export interface RootErrorDetails {
  code: string;
  kept: string;
  /** How to do the same as root. */
  asRoot: string;
}

/**
 * Commands and their mounts end when this program ends, even by kill -9: a command is the first process of a PID namespace, and the
 * kernel kills the others with it.
 */
export async function rootRunner(run: RunCommand, isRoot: boolean, refused: RootErrorDetails): Promise<RunCommand> {
  const mapped = isRoot ? [] : ['--map-root-user', '--map-auto'];
  const asRoot = (argv: Argv) =>
    killedWithParent(['unshare', ...mapped, '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', ...argv]);
  const tried = await run(asRoot(['true']));
  if (tried.code === 0) return (argv, options) => run(asRoot(argv), options);
  const why = tried.stderr.trim().split('\n').at(-1) || tried.outcome;
  throw new UserError(
    isRoot
      ? `this machine does not allow root to create namespaces: ${why}`
      : `unpacking packages needs root or a user namespace, and creating one failed: ${why}`,
    {
      code: refused.code,
      kept: refused.kept,
      next: isRoot
        ? 'run it outside this container, or give the container the capability SYS_ADMIN'
        : `sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $USER, or ${refused.asRoot}`,
      exitCode: 1,
    },
  );
}
