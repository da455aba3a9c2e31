// image/build/as-root.ts: files of an image have owners and devices; what is said where a user may not make them?
import type { RunCommand } from '../../base/command.ts';
import { type RootErrorDetails, rootRunner } from '../../host/as-root.ts';

const NEEDS_ROOT: RootErrorDetails = {
  code: 'image/needs-root',
  kept: 'No image was made; what was fetched is in the cache.',
  asRoot: 'run the same command as root, with --cache and --out in folders of root',
};

export const imageRootRunner = (run: RunCommand, isRoot: boolean): Promise<RunCommand> =>
  rootRunner(run, isRoot, NEEDS_ROOT);
