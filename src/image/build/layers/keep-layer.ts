// image/build/layers/keep-layer.ts: how does the cache keep a layer? In a folder of its key, whole or not at all; a layer with a changed byte is set aside.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { z } from 'zod';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { isMissing, readJson, writeJson } from '../../../host/json-file.ts';
import { runTool } from '../../../host/run-tool.ts';
import { partialPrefix } from '../../../host/whole-folders.ts';
import { imageRootRunner } from '../as-root.ts';
import type { ImageBuildDeps } from '../contract.ts';
import { dataRanges } from '../disk/data-ranges.ts';
import type { Ext4Place } from '../disk/ext4-place.ts';
import { copySparse, sumSparse } from '../disk/sparse-copy.ts';
import { reportingFullDisk } from '../free-space.ts';
import type { LayerDeps } from './layer.ts';

/** The file system of a layer. */
export const LAYER_ROOT = 'root.ext4';

/** Which layer it is, and the sum of its file system: size and bytes that are not empty. */
export interface LayerSeal {
  key: string;
  rootSum: string;
}

export interface LayerKind<R extends LayerSeal> {
  /** The file that is written last: a layer with it is whole. */
  record: string;
  schema: z.ZodType<R>;
}

export type LayerFacts<R extends LayerSeal> = Omit<R, keyof LayerSeal>;

export const layersIn = (cacheFolder: string) => join(cacheFolder, 'layers');
export const layerFolder = (cacheFolder: string, key: string) => join(layersIn(cacheFolder), key);

export function isLayerKept<R extends LayerSeal>({ record }: LayerKind<R>, key: string, cacheFolder: string): boolean {
  return existsSync(join(layerFolder(cacheFolder, key), record));
}

/** Its record; undefined if it is not kept. */
export async function readLayerRecord<R extends LayerSeal>(
  { record, schema }: LayerKind<R>,
  key: string,
  cacheFolder: string,
): Promise<R | undefined> {
  const folder = layerFolder(cacheFolder, key);
  const found = readJson(join(folder, record), schema, {
    code: 'image/layer-damaged',
    next: `remove ${folder}, then run the same command again: the layer is made again`,
  });
  if (found !== undefined && found.key !== key) throw await setLayerAside(folder, record);
  return found;
}

/** `write` leaves the file system (LAYER_ROOT), and what else the layer has, in the folder it gets, and says what the record is to hold. */
export async function keepLayer<R extends LayerSeal>(
  kind: LayerKind<R>,
  key: string,
  deps: LayerDeps,
  write: (layer: string, deps: ImageBuildDeps & { runAsRoot: RunCommand }) => Promise<LayerFacts<R>>,
): Promise<void> {
  const { cache, run, signal } = deps;
  const layers = layersIn(cache.folder);
  const runAsRoot = await imageRootRunner(run, deps.isRoot);
  await mkdir(layers, { recursive: true, mode: 0o700 });
  await removeLeftOvers(layers, runAsRoot);
  const work = join(layers, `${partialPrefix}${randomBytes(6).toString('hex')}`);
  const layer = join(work, 'layer');
  try {
    await reportingFullDisk(layers, '--cache', async () => {
      await mkdir(layer, { recursive: true, mode: 0o700 });
      const facts = await write(layer, { ...deps, folder: work, runAsRoot });
      const file = join(layer, LAYER_ROOT);
      const rootSum = await sumSparse({ file, ranges: await dataRanges(file, run, signal), signal });
      // Not synced to the disk: what a power cut leaves is found out when it is used, as any other damage is.
      await chmod(file, 0o400);
      writeJson(join(layer, kind.record), { key, rootSum, ...facts });
    });
    await rename(layer, layerFolder(cache.folder, key));
  } finally {
    // A process that was interrupted may still write for a moment: the next build removes what is left then.
    await removeAll(work, runAsRoot).catch(() => {});
  }
}

/** Gives the record of what was copied. */
export async function copyLayer<R extends LayerSeal>(
  kind: LayerKind<R>,
  key: string,
  to: Ext4Place,
  { cache, run, signal }: Pick<ImageBuildDeps, 'cache' | 'run' | 'signal'>,
): Promise<R> {
  const folder = layerFolder(cache.folder, key);
  const record = await readLayerRecord(kind, key, cache.folder);
  if (record === undefined) throw await setLayerAside(folder, kind.record);
  const file = join(folder, LAYER_ROOT);
  const sum = await copySparse({ file, ranges: await dataRanges(file, run, signal), signal }, to.file, to.startBytes);
  if (sum !== record.rootSum) throw await setLayerAside(folder, LAYER_ROOT);
  return record;
}

/** As the cache does with a file: the layer is moved out of the way and kept, so that the damage can be looked at. */
export async function setLayerAside(folder: string, name: string): Promise<UserError> {
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
async function removeLeftOvers(layers: string, runAsRoot: RunCommand): Promise<void> {
  for (const name of await readdir(layers)) {
    if (name.startsWith(partialPrefix)) await removeAll(join(layers, name), runAsRoot);
  }
}

async function removeAll(folder: string, runAsRoot: RunCommand): Promise<void> {
  await runTool(runAsRoot, ['rm', '-rf', '--one-file-system', folder]);
}
