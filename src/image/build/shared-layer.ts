// image/build/shared-layer.ts: the base with what all images of a lock share. Written once, kept in the cache beside the base, and copied for each.
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { rootRunner } from '../../vms/qemu/base/as-root.ts';
import { readJson, writeJson } from '../../vms/qemu/json-file.ts';
import { partialPrefix } from '../../vms/qemu/layout.ts';
import { type BaseLayer, epochOf, setAside, takeRoot } from './base-layer.ts';
import type { BuildEdges, Target } from './contract.ts';
import { dataRanges } from './data-ranges.ts';
import { putFiles } from './put-files.ts';
import { copySparse } from './sparse-copy.ts';
import { sharedArtifacts, sharedFiles } from './version-files.ts';

/** Counts changes of how a layer is made that its content does not show. */
const FORMAT = 1;
const ROOT = 'root.ext4';
const RECORD = 'shared.json';
const recordSchema = z.object({ key: z.string(), rootSum: z.string() });

/** Makes `to`, whether it was kept or has to be written: the same bytes. For one build at a time. */
export async function takeShared(target: Target, base: BaseLayer, to: string, edges: BuildEdges): Promise<void> {
  const key = sharedKey(target, base);
  const folder = join(edges.cache.folder, 'layers', key);
  const record = readJson(join(folder, RECORD), recordSchema);
  if (record !== undefined) {
    const sum = await copyOf(join(folder, ROOT), to, edges);
    if (sum !== record.rootSum || record.key !== key) throw await setAside(folder, ROOT);
    edges.onDone?.('shared layer copied');
    return;
  }
  edges.onWaiting?.('the copy of the base');
  await takeRoot(base, to, edges);
  edges.onDone?.('base copied');
  await write(target, to, edges);
  // Nobody else would come for it.
  if (target.lock.kubernetes.length > 1) await keep(to, key, folder, edges);
}

export function sharedKey(target: Target, { key }: Pick<BaseLayer, 'key'>): string {
  const { programs, images } = sharedArtifacts(target);
  const content = [...programs, ...images].map(({ component, kind, sha256, install }) => [
    component,
    kind,
    sha256,
    install,
  ]);
  return createHash('sha256')
    .update(JSON.stringify([FORMAT, key, content]))
    .digest('hex');
}

async function write(target: Target, ext4: string, edges: BuildEdges): Promise<void> {
  const epochSec = epochOf(target.lock.base);
  edges.onWaiting?.('what all versions share');
  const files = await sharedFiles(target, epochSec, edges);
  edges.onDone?.('shared programs verified, container images imported');
  // What a container store holds is root's alone, or of root's users in a namespace.
  const run = await rootRunner(edges.run, edges.isRoot);
  const folder = join(edges.folder, 'shared-files');
  if (files.length > 0) await putFiles(ext4, files, { run, folder, epochSec, signal: edges.signal });
  edges.onDone?.('shared files written');
}

async function keep(ext4: string, key: string, folder: string, edges: BuildEdges): Promise<void> {
  const layers = join(edges.cache.folder, 'layers');
  await mkdir(layers, { recursive: true, mode: 0o700 });
  const work = await mkdtemp(join(layers, partialPrefix));
  try {
    const rootSum = await copyOf(ext4, join(work, ROOT), edges);
    await chmod(join(work, ROOT), 0o400);
    writeJson(join(work, RECORD), { key, rootSum });
    await rename(work, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  edges.onDone?.('shared layer kept');
}

async function copyOf(file: string, to: string, { run, signal }: BuildEdges): Promise<string> {
  return copySparse({ file, ranges: await dataRanges(file, run, signal), signal }, to);
}
