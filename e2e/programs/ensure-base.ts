// e2e/programs/ensure-base.ts: the image that e2e boots real guests from: built once, then taken from a cache outside the tree.
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { runCommand } from '../../src/base/command.ts';
import { requireTools, toolPath } from '../../src/host/required-tools.ts';
import { ensureBase } from '../../src/vms/qemu/base/build-base.ts';
import { baseRecipe } from '../../src/vms/qemu/base/recipe.ts';
import type { PublishDeps } from '../../src/vms/qemu/images/make-version.ts';
import { BASE_TOOLS, POOL_TOOLS } from '../../src/vms/qemu/required-tools.ts';
import { cacheFolder } from './ensure-helm.ts';

/** The home with the image, in which tests make pools and delete them. */
export async function ensureBaseImage(
  tell: (line: string) => void = console.error,
): Promise<PublishDeps & { imageId: string }> {
  const isRoot = process.getuid?.() === 0;
  requireTools([...POOL_TOOLS, ...BASE_TOOLS], { path: process.env.PATH, isRoot, code: 'e2e/missing-programs' });
  const env = { ...process.env, PATH: toolPath(process.env.PATH) };
  const deps: PublishDeps = {
    home: join(cacheFolder(), 'vms'),
    clock: systemClock,
    run: (argv, options) => runCommand(argv, { env, ...options }),
  };
  let told = '';
  const onWaiting = (what: string) => {
    if (what !== told) tell(`base image: ${what}`);
    told = what;
  };
  const { id } = await ensureBase(baseRecipe('bookworm'), { refresh: false }, { ...deps, isRoot }, { onWaiting });
  return { ...deps, imageId: id };
}
