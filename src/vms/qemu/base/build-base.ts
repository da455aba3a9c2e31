// vms/qemu/base/build-base.ts: find the base image of a recipe, or build it: packages → files → file system → image version.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { CallOptions } from '../../../base/call-options.ts';
import type { Clock } from '../../../base/clock.ts';
import type { RunCommand } from '../../../base/command.ts';
import { type RootErrorDetails, rootRunner } from '../../../host/as-root.ts';
import { readPackageSources } from '../../../host/debian/package-sources.ts';
import { hashPackages } from '../../../host/debian/packages.ts';
import { type KernelErrorDetails, unpackKernel } from '../../../host/debian/unpack-kernel.ts';
import { statfsFree } from '../../../host/disk-space.ts';
import { withLock } from '../../../host/locks.ts';
import { runTool } from '../../../host/run-tool.ts';
import { ensureSpace } from '../home/ensure-space.ts';
import { baseImageLock } from '../home/layout.ts';
import { readVersionRecord, versionNamesIn } from '../home/version-records.ts';
import { publishVersion } from '../images/make-version.ts';
import {
  BASE_TAGS,
  type BaseImage,
  baseDefinition,
  baseDefinitionSpec,
  baseVersions,
  findBase,
  nextName,
} from './base-versions.ts';
import { type BootstrapDeps, resolvePackages, unpackPackages } from './bootstrap.ts';
import { hashRecipe, type Recipe } from './recipe.ts';

export interface BaseDeps {
  home: string;
  clock: Clock;
  run: RunCommand;
  isRoot: boolean;
}

const NEEDS_ROOT: RootErrorDetails = {
  code: 'pool/needs-root',
  kept: 'Nothing was changed. Only building the base image needs this; pools run as any user.',
  asRoot: 'build it as root with the same --home, then chown the folder to your user',
};

const UNSUPPORTED_KERNEL: KernelErrorDetails = {
  code: 'pool/kernel-unsupported',
  what: 'the kernel of this suite',
  kept: 'No image was published.',
  next: 'headstart pool base --suite bookworm',
};

/** Only `refresh` checks for newer packages; without it, any image of this recipe will do. */
export async function ensureBase(
  recipe: Recipe,
  { refresh }: { refresh: boolean },
  deps: BaseDeps,
  options: CallOptions = {},
): Promise<BaseImage> {
  const found = findBase(deps.home, recipe);
  if (found && !refresh) return found;
  mkdirSync(deps.home, { recursive: true, mode: 0o700 });
  return withLock(deps.home, { name: baseImageLock, why: `building ${recipe.definition}` }, options, async () => {
    // Another command may have built it while we waited for the lock.
    const made = findBase(deps.home, recipe);
    if (made && !refresh) return made;
    const runAsRoot = await rootRunner(deps.run, deps.isRoot, NEEDS_ROOT);
    // We hold the lock, so an existing folder is from a killed command. Its files may belong to users of a namespace: delete as root.
    const folder = join(deps.home, 'base-build');
    await removeAll(folder, runAsRoot, deps.clock);
    try {
      return await build(recipe, { ...deps, runAsRoot, folder }, options);
    } finally {
      await removeAll(folder, runAsRoot, deps.clock);
    }
  });
}

/** Retries: an interrupted tool may still write for a moment. */
async function removeAll(folder: string, runAsRoot: RunCommand, clock: Clock): Promise<void> {
  const remove = () => runTool(runAsRoot, ['rm', '-rf', '--one-file-system', folder]);
  for (let tries = 0; tries < 5; tries++) {
    try {
      await remove();
      return;
    } catch {
      await clock.sleep(500);
    }
  }
  await remove();
}

interface BaseBuildDeps extends BaseDeps {
  runAsRoot: RunCommand;
  folder: string;
}

async function build(recipe: Recipe, deps: BaseBuildDeps, options: CallOptions): Promise<BaseImage> {
  const { home, clock, run, runAsRoot, folder } = deps;
  const { signal, onWaiting } = options;
  await ensureSpace({ home, freeBytes: statfsFree }, WORK_BYTES, `building ${recipe.definition}`);
  const bootstrapDeps: BootstrapDeps = { runAsRoot, folder, signal, onWaiting };
  const sources = await readPackageSources(recipe.suite, run, signal);
  const recipeHash = hashRecipe(recipe);
  const packages = await resolvePackages(recipe, sources, bootstrapDeps);
  const packagesHash = hashPackages(packages);
  const same = baseVersions(home, recipe).find(
    ({ record: { tags } }) => tags[BASE_TAGS.recipe] === recipeHash && tags[BASE_TAGS.packages] === packagesHash,
  );
  if (same) return same;
  const rootfs = await unpackPackages(recipe, sources, { ...bootstrapDeps, count: packages.size });
  onWaiting?.('the kernel to be unpacked');
  const kernel = await takeKernel(rootfs, deps, signal);
  onWaiting?.('the file system');
  const disk = await makeDisk(recipe, rootfs, deps, signal);
  const name = nextName(clock.nowMs(), versionNamesIn(home, baseDefinition(recipe)));
  const id = await publishVersion(
    deps,
    {
      definition: baseDefinitionSpec(recipe),
      name,
      tags: {
        [BASE_TAGS.recipe]: recipeHash,
        [BASE_TAGS.packages]: packagesHash,
        [BASE_TAGS.kernel]: kernel.release,
      },
    },
    { disk, kernel },
    options,
  );
  const record = readVersionRecord(home, { ...baseDefinition(recipe), version: name });
  if (!record) throw new Error(`${id} was published but has no record`);
  return { id, isNew: true, record };
}

/** Measured: 400 MB for the unpacked packages, 550 MB for the file system, 450 MB for each of two copies of the image. */
const WORK_BYTES = 2.5 * 2 ** 30;

/** Kernel and initrd become files next to the disk: QEMU boots them directly. */
async function takeKernel(rootfs: string, { run, runAsRoot, folder }: BaseBuildDeps, signal: AbortSignal | undefined) {
  const boot = join(rootfs, 'boot');
  const releases = readdirSync(boot).flatMap((name) => /^vmlinuz-(.+)$/.exec(name)?.[1] ?? []);
  const [release] = releases;
  if (release === undefined || releases.length > 1)
    throw new Error(`expected one kernel in the image, got ${releases.join(', ') || 'none'}`);
  const packed = { vmlinuz: join(boot, `vmlinuz-${release}`), initrd: join(boot, `initrd.img-${release}`) };
  const [vmlinux, initrd] = [join(folder, 'vmlinux'), join(folder, 'initrd.cpio')];
  writeFileSync(vmlinux, await unpackKernel(readFileSync(packed.vmlinuz), { run, signal }, UNSUPPORTED_KERNEL));
  writeFileSync(initrd, unpackInitrd(readFileSync(packed.initrd)));
  await runTool(runAsRoot, ['rm', '-f', packed.vmlinuz, packed.initrd], signal);
  return { vmlinux, initrd, release };
}

/** Saves each guest the unpacking. An initrd of several archives (Debian 13 puts modules in front) is left unchanged. */
function unpackInitrd(initrd: Buffer): Buffer {
  const isGzip = initrd[0] === 0x1f && initrd[1] === 0x8b;
  return isGzip ? gunzipSync(initrd) : initrd;
}

/** The whole disk is one file system, so making it needs no mount and no partitions. */
async function makeDisk(
  { label, diskBytes }: Recipe,
  rootfs: string,
  { run, runAsRoot, folder }: BaseBuildDeps,
  signal: AbortSignal | undefined,
): Promise<string> {
  const [raw, disk] = [join(folder, 'disk.raw'), join(folder, 'disk.qcow2')];
  const size = `${diskBytes / 1024}k`;
  const options = ['-q', '-F', '-t', 'ext4', '-L', label, '-E', 'lazy_itable_init=0,lazy_journal_init=0'];
  await runTool(runAsRoot, ['mke2fs', ...options, '-d', rootfs, raw, size], signal);
  await runTool(run, ['qemu-img', 'convert', '-f', 'raw', '-O', 'qcow2', raw, disk], signal);
  return disk;
}
