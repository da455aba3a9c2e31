// image/build/layers/layer-cache.ts: how does the cache store a layer? In a folder named by its key, completely or not at all; a damaged layer is moved aside.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { z } from 'zod';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { isMissing, readJsonFile, writeJsonFile } from '../../../host/json-file.ts';
import { runTool } from '../../../host/run-tool.ts';
import { partialPrefix } from '../../../host/whole-folders.ts';
import { imageRootRunner } from '../as-root.ts';
import type { ImageBuildDeps } from '../contract.ts';
import { dataRanges } from '../disk/data-ranges.ts';
import type { Ext4Place } from '../disk/ext4-place.ts';
import { copySparse, sumSparse } from '../disk/sparse-copy.ts';
import { reportingFullDisk } from '../free-space.ts';
import type { LayerDeps } from './layer.ts';

export const LAYER_ROOT = 'root.ext4';

/** Identifies a layer, with the checksum of its file system: its size and all bytes that are not in holes. */
export interface LayerSeal {
  key: string;
  rootSum: string;
}

export interface LayerKind<R extends LayerSeal> {
  /** Written last: a layer that has it is complete. */
  record: string;
  schema: z.ZodType<R>;
}

export type LayerFacts<R extends LayerSeal> = Omit<R, keyof LayerSeal>;

export const layersIn = (cacheFolder: string) => join(cacheFolder, 'layers');
export const layerFolder = (cacheFolder: string, key: string) => join(layersIn(cacheFolder), key);

export function isLayerCached<R extends LayerSeal>(
  { record }: LayerKind<R>,
  key: string,
  cacheFolder: string,
): boolean {
  return existsSync(join(layerFolder(cacheFolder, key), record));
}

/** Undefined if the layer is not cached. */
export async function readLayerRecord<R extends LayerSeal>(
  { record, schema }: LayerKind<R>,
  key: string,
  cacheFolder: string,
): Promise<R | undefined> {
  const folder = layerFolder(cacheFolder, key);
  const found = readJsonFile(join(folder, record), schema, {
    code: 'image/layer-damaged',
    next: `remove ${folder}, then run the same command again: it makes the layer again`,
  });
  if (found !== undefined && found.key !== key) throw await moveLayerAside(folder, record);
  return found;
}

/** `write` leaves the file system (LAYER_ROOT) and other files of the layer in the given folder, and returns facts for the record. */
export async function cacheLayer<R extends LayerSeal>(
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
      // Does not sync to disk: damage after a power cut is detected when the layer is used.
      await chmod(file, 0o400);
      writeJsonFile(join(layer, kind.record), { key, rootSum, ...facts });
    });
    await rename(layer, layerFolder(cache.folder, key));
  } finally {
    // An interrupted process may still write for a moment; the next build removes its leftovers.
    await removeAll(work, runAsRoot).catch(() => {});
  }
}

/** Returns the record of the copied layer. */
export async function copyLayer<R extends LayerSeal>(
  kind: LayerKind<R>,
  key: string,
  to: Ext4Place,
  { cache, run, signal }: Pick<ImageBuildDeps, 'cache' | 'run' | 'signal'>,
): Promise<R> {
  const folder = layerFolder(cache.folder, key);
  const record = await readLayerRecord(kind, key, cache.folder);
  if (record === undefined) throw await moveLayerAside(folder, kind.record);
  const file = join(folder, LAYER_ROOT);
  const sum = await copySparse({ file, ranges: await dataRanges(file, run, signal), signal }, to.file, to.startBytes);
  if (sum !== record.rootSum) throw await moveLayerAside(folder, LAYER_ROOT);
  return record;
}

/** Moves a damaged layer aside instead of deleting it, so that the damage can be inspected. */
export async function moveLayerAside(folder: string, name: string): Promise<UserError> {
  const damaged = join(dirname(dirname(folder)), 'damaged');
  const place = join(damaged, basename(folder));
  await mkdir(damaged, { recursive: true, mode: 0o700 });
  const move = () =>
    rename(folder, place).catch((error: unknown) => {
      if (!isMissing(error)) throw error; // another build or another image of this build moved it
    });
  await move().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(place, { recursive: true, force: true });
    await move();
  });
  return new UserError(`a cached layer is damaged: ${join(folder, name)} changed after it was written`, {
    code: 'image/layer-damaged',
    kept: `Nothing was built from it; it was moved to ${place}.`,
    next: 'run the same command again to make it again; if it happens again, check who can write there, and check the disk',
    exitCode: 1,
  });
}

/** Removes leftovers of killed builds; the caller holds the build lock. Files may belong to users of a namespace. */
async function removeLeftOvers(layers: string, runAsRoot: RunCommand): Promise<void> {
  for (const name of await readdir(layers)) {
    if (name.startsWith(partialPrefix)) await removeAll(join(layers, name), runAsRoot);
  }
}

async function removeAll(folder: string, runAsRoot: RunCommand): Promise<void> {
  await runTool(runAsRoot, ['rm', '-rf', '--one-file-system', folder]);
}
