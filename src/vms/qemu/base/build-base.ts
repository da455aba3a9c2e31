// vms/qemu/base/build-base.ts: is there a base image of this recipe, and if not, make one: packages → files → file system → image version.

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
  asRoot: 'build it as root with the same --home and give the folder to yourself',
};

const UNSUPPORTED_KERNEL: KernelErrorDetails = {
  code: 'pool/kernel-unsupported',
  what: 'the kernel of this suite',
  kept: 'No image was published.',
  next: 'headstart pool base --suite bookworm',
};

/** The packages' part of the key is looked up anew with `refresh` alone: without it, an image of this recipe is good enough. */
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
    // Whoever held the lock may have made it.
    const made = findBase(deps.home, recipe);
    if (made && !refresh) return made;
    const runAsRoot = await rootRunner(deps.run, deps.isRoot, NEEDS_ROOT);
    // One name, under one lock: what is there was left by a command that was killed. Its files may belong to a namespace's users.
    const folder = join(deps.home, 'base-build');
    await removeAll(folder, runAsRoot, deps.clock);
    try {
      return await build(recipe, { ...deps, runAsRoot, folder }, options);
    } finally {
      await removeAll(folder, runAsRoot, deps.clock);
    }
  });
}

/** What was interrupted takes a moment to die, and may write until then. */
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
  if (!record) throw new Error(`${id} is not there although it was published`);
  return { id, isNew: true, record };
}

/** Unpacked packages, the file system and two copies of the image, as they were seen: 400, 550 and 2 × 450 MB. */
const WORK_BYTES = 2.5 * 2 ** 30;

/** Kernel and initrd become files beside the disk: QEMU starts them directly. */
async function takeKernel(rootfs: string, { run, runAsRoot, folder }: BaseBuildDeps, signal: AbortSignal | undefined) {
  const boot = join(rootfs, 'boot');
  const releases = readdirSync(boot).flatMap((name) => /^vmlinuz-(.+)$/.exec(name)?.[1] ?? []);
  const [release] = releases;
  if (release === undefined || releases.length > 1)
    throw new Error(`one kernel was expected in the image, there are: ${releases.join(', ') || 'none'}`);
  const packed = { vmlinuz: join(boot, `vmlinuz-${release}`), initrd: join(boot, `initrd.img-${release}`) };
  const [vmlinux, initrd] = [join(folder, 'vmlinux'), join(folder, 'initrd.cpio')];
  writeFileSync(vmlinux, await unpackKernel(readFileSync(packed.vmlinuz), { run, signal }, UNSUPPORTED_KERNEL));
  writeFileSync(initrd, unpackInitrd(readFileSync(packed.initrd)));
  await runTool(runAsRoot, ['rm', '-f', packed.vmlinuz, packed.initrd], signal);
  return { vmlinux, initrd, release };
}

/** Unpacked it need not be by every guest. One of several archives (Debian 13 has modules, packed one by one, in front) is left as it is. */
function unpackInitrd(initrd: Buffer): Buffer {
  const isGzip = initrd[0] === 0x1f && initrd[1] === 0x8b;
  return isGzip ? gunzipSync(initrd) : initrd;
}

/** The whole disk is one file system: nothing has to be mounted, and nothing partitioned. */
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
