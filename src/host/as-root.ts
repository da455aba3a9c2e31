// host/as-root.ts: packages are unpacked with the owners and devices they have; who may do that? root, or a user in a namespace of their own.
import type { Argv, RunCommand } from '../base/command.ts';
import { UserError } from '../base/errors.ts';
import { killedWithParent } from './run-tool.ts';

/** What the one who asks for it says where it is refused. */
export interface RootErrorDetails {
  code: string;
  kept: string;
  /** How to do the same as root. */
  asRoot: string;
}

/**
 * What is run by it ends with this program, however that ends, and its mounts with it: it is the first process of a process
 * namespace whose end the kernel makes the end of all others.
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
      ? `this machine does not let root have namespaces of its own: ${why}`
      : `unpacking packages needs root, or a namespace in which this user is root, and that was refused: ${why}`,
    {
      code: refused.code,
      kept: refused.kept,
      next: isRoot
        ? 'run it outside of this container, or give the container the capability SYS_ADMIN'
        : `sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $USER, or ${refused.asRoot}`,
      exitCode: 1,
    },
  );
}
