// image/build/as-root.ts: how does a build get root rights for owners and devices, and which error does a user without them see?
import type { RunCommand } from '../../base/command.ts';
import { type NeedsRoot, rootRunner } from '../../host/as-root.ts';

const NEEDS_ROOT: NeedsRoot = {
  code: 'image/needs-root',
  kept: 'No image was built; fetched files stay in the cache.',
  asRoot: 'run the same command as root, with --cache and --out in folders that root owns',
};

export const imageRootRunner = (run: RunCommand, isRoot: boolean): Promise<RunCommand> =>
  rootRunner(run, isRoot, NEEDS_ROOT);
