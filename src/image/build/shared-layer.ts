// image/build/shared-layer.ts: the base with what all images of a lock share. Written once, kept in the cache beside the base, and copied for each.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { statfsFree } from '../../host/disk-space.ts';
import { readJson, writeJson } from '../../host/json-file.ts';
import { runTool } from '../../host/run-tool.ts';
import { partialPrefix } from '../../host/whole-folders.ts';
import { imageRootRunner } from './as-root.ts';
import { type BaseLayer, badLayer, epochOf, removeLeftOvers, setAside, takeRoot } from './base/base-layer.ts';
import type { BuildEdges, Target } from './contract.ts';
import { dataRanges } from './disk/data-ranges.ts';
import type { Ext4Place } from './disk/ext4-place.ts';
import { putFiles } from './disk/put-files.ts';
import { copySparse, sumSparse } from './disk/sparse-copy.ts';
import { type PlacedFile, placedSchema } from './files/placed-files.ts';
import { sharedArtifacts, sharedFiles } from './files/version-files.ts';
import { ensureRoom, orFull } from './room.ts';
import { containerdOf } from './store/container-images.ts';

/** Counts changes of how a layer is made that its content does not show. */
const FORMAT = 2;
const ROOT = 'root.ext4';
const RECORD = 'shared.json';
const recordSchema = z.object({ key: z.string(), rootSum: z.string(), placed: placedSchema });

/** So that images of the lock can be made beside each other. For one build at a time; there already is success. */
export async function keepShared(target: Target, base: BaseLayer, edges: Omit<BuildEdges, 'folder'>): Promise<void> {
  // Nobody else would come for it.
  if (target.lock.kubernetes.length === 1) return;
  const key = sharedKey(target, base);
  const layers = join(edges.cache.folder, 'layers');
  if (existsSync(join(layers, key, RECORD))) return;
  const runAsRoot = await imageRootRunner(edges.run, edges.isRoot);
  await mkdir(layers, { recursive: true, mode: 0o700 });
  await removeLeftOvers(edges.cache.folder, runAsRoot);
  const { budgetMb, sizeMb } = target.lock.disk;
  const bytes = Math.min(budgetMb, sizeMb) * 2 ** 20;
  ensureRoom(layers, await statfsFree(layers), { what: 'what all images share', bytes, option: '--cache' });
  const work = await mkdtemp(join(layers, partialPrefix));
  try {
    const layer = join(work, 'layer');
    await orFull(layers, '--cache', () => make(target, base, { key, layer }, { ...edges, folder: work }));
    await rename(layer, join(layers, key));
  } finally {
    // A container store's files may belong to a namespace's users.
    await runTool(runAsRoot, ['rm', '-rf', '--one-file-system', work]);
  }
  edges.onDone?.('shared layer kept');
}

async function make(
  target: Target,
  base: BaseLayer,
  { key, layer }: { key: string; layer: string },
  edges: BuildEdges,
): Promise<void> {
  const { run, signal } = edges;
  await mkdir(layer, { mode: 0o700 });
  const file = join(layer, ROOT);
  const placed = await write(target, base, { file, startBytes: 0 }, edges);
  const rootSum = await sumSparse({ file, ranges: await dataRanges(file, run, signal), signal });
  await chmod(file, 0o400);
  writeJson(join(layer, RECORD), { key, rootSum, placed });
}

/** Makes the file system at `to`, whether it was kept or has to be written: the same bytes. Gives what is in it of components. */
export async function takeShared(
  target: Target,
  base: BaseLayer,
  to: Ext4Place,
  edges: BuildEdges,
): Promise<readonly PlacedFile[]> {
  const key = sharedKey(target, base);
  const folder = join(edges.cache.folder, 'layers', key);
  const record = readJson(join(folder, RECORD), recordSchema, badLayer(folder));
  if (record === undefined) return write(target, base, to, edges);
  const { run, signal } = edges;
  const file = join(folder, ROOT);
  const sum = await copySparse({ file, ranges: await dataRanges(file, run, signal), signal }, to.file, to.startBytes);
  if (sum !== record.rootSum || record.key !== key) throw await setAside(folder, ROOT);
  edges.onDone?.('shared layer copied');
  return record.placed;
}

export function sharedKey(target: Target, { key }: Pick<BaseLayer, 'key'>): string {
  const { programs, images } = sharedArtifacts(target);
  const content = [...programs, ...images].map(({ component, kind, sha256, install }) => [
    component,
    kind,
    sha256,
    install,
  ]);
  // It imports them, and a store is as its version makes it.
  const containerd = images.length > 0 ? containerdOf(target)?.sha256 : undefined;
  return createHash('sha256')
    .update(JSON.stringify([FORMAT, key, content, containerd]))
    .digest('hex');
}

async function write(
  target: Target,
  base: BaseLayer,
  to: Ext4Place,
  edges: BuildEdges,
): Promise<readonly PlacedFile[]> {
  edges.onWaiting?.('the copy of the base');
  await takeRoot(base, to, edges);
  edges.onDone?.('base copied');
  const epochSec = epochOf(target.lock.base);
  edges.onWaiting?.('what all versions share');
  const { files, placed } = await sharedFiles(target, epochSec, edges);
  edges.onDone?.('shared programs verified, container images imported');
  // What a container store holds is root's alone, or of root's users in a namespace.
  const run = await imageRootRunner(edges.run, edges.isRoot);
  const folder = join(edges.folder, 'shared-files');
  if (files.length > 0) await putFiles(to, files, { run, folder, epochSec, signal: edges.signal });
  edges.onDone?.('shared files written');
  return placed;
}
