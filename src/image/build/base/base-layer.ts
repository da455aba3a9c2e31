// image/build/base/base-layer.ts: what all images of one package list share: an installed system as one file, and what starts it. Made once, kept in
// the cache, and never used without a look at its bytes.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { statfsFree } from '../../../host/disk-space.ts';
import { type FileSum, sumOf } from '../../../host/file-sum.ts';
import { isMissing, readJson, writeJson } from '../../../host/json-file.ts';
import { withLock } from '../../../host/locks.ts';
import { runTool } from '../../../host/run-tool.ts';
import { partialPrefix } from '../../../host/whole-folders.ts';
import { baseSha256 } from '../../lock/content-hash.ts';
import type { Artifact, Lock } from '../../lock/lock.ts';
import { imageRootRunner } from '../as-root.ts';
import { baseLayerLock } from '../build-locks.ts';
import type { BuildEdges, Kernel } from '../contract.ts';
import { dataRanges } from '../disk/data-ranges.ts';
import { derivedId } from '../disk/derived-id.ts';
import { rootBytesFor } from '../disk/disk-layout.ts';
import type { Ext4Place } from '../disk/ext4-place.ts';
import { ext4Options, makeExt4 } from '../disk/make-ext4.ts';
import { copySparse, sumSparse } from '../disk/sparse-copy.ts';
import { LABEL, nodeFiles } from '../files/node-files.ts';
import { type Contributor, ensureFits } from '../files/size-budget.ts';
import { ensureRoom, orFull } from '../room.ts';
import type { ToolVersions } from '../tool-versions.ts';
import { makePackageRepository } from './package-repository.ts';
import { KERNEL_FILES, takeKernel } from './take-kernel.ts';
import { type Unpacking, unpackBase, unpackWords } from './unpack-base.ts';

/** Counts changes of how a layer is made that its content does not show. */
const FORMAT = 2;
const MIB = 2 ** 20;

export interface BaseLayer {
  folder: string;
  key: string;
  kernel: Omit<Kernel, 'args'>;
  /** Of the file system: size and bytes that are not empty. */
  rootSum: string;
  packages: readonly Contributor[];
}

export type LayerEdges = Omit<BuildEdges, 'folder'>;

const ROOT = 'root.ext4';
const RECORD = 'layer.json';

const recordSchema = z.object({
  key: z.string(),
  kernelRelease: z.string(),
  rootSum: z.string(),
  packages: z.array(z.object({ name: z.string(), bytes: z.number() })),
  files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })),
});

/** Another key, another layer: packages, settings of a node, size, and with what it is made. */
export function layerKey(lock: Lock, { mmdebstrap, mke2fs, debugfs }: ToolVersions): string {
  const packages = debsOf(lock).map(({ component }) => component);
  const words = unpackWords({ packages, ...settingsOf(lock) });
  const options = ext4Options({ uuid: '', label: LABEL });
  const content = [FORMAT, baseSha256(lock), words, options, lock.disk.sizeMb, { mmdebstrap, mke2fs, debugfs }];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** Whether one was made; nobody has looked at its bytes. */
export function hasBaseLayer(lock: Lock, tools: ToolVersions, cacheFolder: string): boolean {
  return existsSync(join(cacheFolder, 'layers', layerKey(lock, tools), RECORD));
}

/** Midnight of the day of the package list: the time in which an image lives. */
export function epochOf({ date }: Lock['base']): number {
  const [, year, month, day] = /^(\d{4})\.(\d{1,2})(\d{2})$/.exec(date) ?? [];
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
  if (Number.isNaN(ms)) throw new RangeError(`the base's date ${date} is not as in 2026.1116`);
  return ms / 1000;
}

/** `isNew`: it was made now. All but the root is read and verified; that is when it is copied (takeRoot). */
export async function ensureBaseLayer(lock: Lock, edges: LayerEdges): Promise<BaseLayer & { isNew: boolean }> {
  const key = layerKey(lock, edges.tools);
  const folder = join(edges.cache.folder, 'layers', key);
  const there = await openLayer(folder, key, edges.signal);
  if (there) return { ...there, isNew: false };
  await mkdir(join(edges.cache.folder, 'layers'), { recursive: true, mode: 0o700 });
  const { cache, signal, onWaiting } = edges;
  const options = { ...(signal && { signal }), ...(onWaiting && { onWaiting }) };
  return withLock(cache.folder, { name: baseLayerLock, why: 'building a base layer' }, options, async () => {
    // Whoever held the lock may have made it.
    const made = await openLayer(folder, key, signal);
    if (made) return { ...made, isNew: false };
    const runAsRoot = await imageRootRunner(edges.run, edges.isRoot);
    await removeLeftOvers(cache.folder, runAsRoot);
    const work = join(cache.folder, 'layers', `${partialPrefix}${randomBytes(6).toString('hex')}`);
    try {
      await orFull(cache.folder, '--cache', () => makeLayer(lock, key, work, { ...edges, runAsRoot }));
      await rename(join(work, 'layer'), folder);
    } finally {
      // What was interrupted may write for a moment yet: what is left then is removed by the next one.
      await removeAll(work, runAsRoot).catch(() => {});
    }
    const layer = await openLayer(folder, key, signal);
    if (!layer) throw new Error(`${folder} is not there although it was made`);
    return { ...layer, isNew: true };
  });
}

/** A copy of its file system that is known to be what was made. */
export async function takeRoot(
  { folder, rootSum }: Pick<BaseLayer, 'folder' | 'rootSum'>,
  to: Ext4Place,
  { run, signal }: Pick<LayerEdges, 'run' | 'signal'>,
): Promise<void> {
  const file = join(folder, ROOT);
  const sum = await copySparse({ file, ranges: await dataRanges(file, run, signal), signal }, to.file, to.startBytes);
  if (sum !== rootSum) throw await setAside(folder, ROOT);
}

/** The record of a layer in the cache: it can always be made again. */
export const badLayer = (folder: string) => ({
  code: 'image/layer-damaged',
  next: `remove ${folder}, then run the same command again: the layer is made again`,
});

async function openLayer(folder: string, key: string, signal: AbortSignal | undefined): Promise<BaseLayer | undefined> {
  const record = readJson(join(folder, RECORD), recordSchema, badLayer(folder));
  if (record === undefined) return undefined;
  if (record.key !== key) throw await setAside(folder, RECORD);
  const take = async (part: keyof typeof KERNEL_FILES) => {
    const name = KERNEL_FILES[part];
    const bytes = await readFile(join(folder, name), { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      if (!isMissing(error)) throw error;
    });
    const sha256 = bytes && createHash('sha256').update(bytes).digest('hex');
    if (bytes === undefined || sha256 !== record.files[name]?.sha256) throw await setAside(folder, name);
    return bytes;
  };
  const kernel = {
    release: record.kernelRelease,
    vmlinuz: await take('vmlinuz'),
    initrd: await take('initrd'),
    vmlinux: await take('vmlinux'),
    initrdPlain: await take('initrdPlain'),
    loader: await take('loader'),
  };
  return { folder, key, kernel, rootSum: record.rootSum, packages: record.packages };
}

type Workshop = LayerEdges & { runAsRoot: RunCommand };

async function makeLayer(lock: Lock, key: string, work: string, edges: Workshop): Promise<void> {
  const { cache, run, runAsRoot, signal, onWaiting, onDone } = edges;
  const room = { what: 'the base of the image', bytes: WORK_BYTES, option: '--cache' } as const;
  ensureRoom(cache.folder, await statfsFree(cache.folder), room);
  const layer = join(work, 'layer');
  await mkdir(layer, { recursive: true, mode: 0o700 });
  const repository = await makePackageRepository(debsOf(lock), join(work, 'packages'), {
    cache,
    run,
    signal,
    onWaiting,
  });
  const bytes = rootBytesFor(lock.disk.sizeMb * MIB);
  ensureFits(repository.packages, bytes);
  onDone?.('packages verified');
  const settings = settingsOf(lock);
  const { epochSec } = settings;
  const rootfs = await unpackBase({ repository, ...settings }, { runAsRoot, folder: work, signal, onWaiting });
  onDone?.('packages installed');
  onWaiting?.('the kernel to be unpacked');
  const kernelRelease = await takeKernel(rootfs, layer, edges);
  onWaiting?.('the file system');
  const root = {
    file: join(layer, ROOT),
    bytes,
    uuid: derivedId(key, 'root file system'),
    label: LABEL,
    epochSec,
  };
  await makeExt4(rootfs, root, { runAsRoot, folder: work, signal });
  onDone?.('file system made');
  const files: Record<string, FileSum> = {};
  for (const name of Object.values(KERNEL_FILES)) files[name] = await sumOf(join(layer, name), signal);
  const ranges = await dataRanges(root.file, run, signal);
  const rootSum = await sumSparse({ file: root.file, ranges, signal });
  const packages = repository.packages.map(({ name, bytes }) => ({ name, bytes }));
  writeJson(join(layer, RECORD), { key, kernelRelease, rootSum, packages, files });
  const paths = [...Object.values(KERNEL_FILES), ROOT].map((name) => join(layer, name));
  // Not synced to the disk: what a power cut leaves is found out when it is used, as any other damage is.
  for (const path of paths) await chmod(path, 0o400);
  onDone?.('base layer kept');
}

/** Packages twice (here and unpacked), the file system, and what starts it. */
const WORK_BYTES = 2.5 * 2 ** 30;

function debsOf({ artifacts }: Lock): Artifact[] {
  return artifacts.filter(({ kind }) => kind === 'deb').toSorted((a, b) => (a.component < b.component ? -1 : 1));
}

function settingsOf(lock: Lock): Omit<Unpacking, 'repository'> {
  return {
    architecture: lock.architecture,
    nodeFiles: nodeFiles(new Set(debsOf(lock).map(({ component }) => component))),
    epochSec: epochOf(lock.base),
  };
}

/** As the cache does it with a file: the layer is out of the way, for whoever wants to know what happened to it. */
export async function setAside(folder: string, name: string): Promise<UserError> {
  const damaged = join(dirname(dirname(folder)), 'damaged');
  const place = join(damaged, basename(folder));
  await mkdir(damaged, { recursive: true, mode: 0o700 });
  const move = () =>
    rename(folder, place).catch((error: unknown) => {
      if (!isMissing(error)) throw error; // another build did, or another image of this one
    });
  await move().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(place, { recursive: true, force: true });
    await move();
  });
  return new UserError(`a layer that images are made of was changed since it was made: ${join(folder, name)}`, {
    code: 'image/layer-damaged',
    kept: `Nothing was made from it; it is in ${place} now.`,
    next: 'run the same command again, it is made anew; if that repeats, look at who can write there, and at the disk',
    exitCode: 1,
  });
}

/** Under the lock of builds: left by a command that was killed. Its files may belong to a namespace's users. */
export async function removeLeftOvers(cacheFolder: string, runAsRoot: RunCommand): Promise<void> {
  const layers = join(cacheFolder, 'layers');
  for (const name of await readdir(layers)) {
    if (name.startsWith(partialPrefix)) await removeAll(join(layers, name), runAsRoot);
  }
}

async function removeAll(folder: string, runAsRoot: RunCommand): Promise<void> {
  await runTool(runAsRoot, ['rm', '-rf', '--one-file-system', folder]);
}
