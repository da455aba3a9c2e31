// image/build/layers/base-layer.ts: what do all images of one package list share? The installed packages as one file system, and its kernel.
import { createHash } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { RunCommand } from '../../../base/command.ts';
import { statfsFree } from '../../../host/disk-space.ts';
import { checksumFile, type FileSum } from '../../../host/file-sum.ts';
import { isMissing } from '../../../host/json-file.ts';
import { withLock } from '../../../host/locks.ts';
import { baseSha256 } from '../../lock/content-hash.ts';
import type { Artifact, ImageLock } from '../../lock/lock.ts';
import { makePackageRepository } from '../base/package-repository.ts';
import { KERNEL_FILES, takeKernel } from '../base/take-kernel.ts';
import { type BaseContents, unpackBase, unpackInputs } from '../base/unpack-base.ts';
import { baseLayerLock } from '../build-locks.ts';
import type { BaseContent, ImageBuildDeps } from '../contract.ts';
import { derivedId } from '../disk/derived-id.ts';
import { rootBytesFor } from '../disk/disk-layout.ts';
import { ext4Options, makeExt4 } from '../disk/make-ext4.ts';
import { epochOf } from '../epoch.ts';
import { LABEL, nodeFiles } from '../files/node-files.ts';
import { ensureFits } from '../files/size-budget.ts';
import { requireImageSpace } from '../free-space.ts';
import type { ToolVersions } from '../tool-versions.ts';
import type { ImageLayer, LayerDeps } from './layer.ts';
import {
  cacheLayer,
  copyLayer,
  isLayerCached,
  LAYER_ROOT,
  type LayerFacts,
  type LayerKind,
  layerFolder,
  moveLayerAside,
  readLayerRecord,
} from './layer-cache.ts';

/** Increase it when the builder makes a different layer from the same inputs. */
const FORMAT = 2;
const MIB = 2 ** 20;

const recordSchema = z.object({
  key: z.string(),
  kernelRelease: z.string(),
  rootSum: z.string(),
  packages: z.array(z.object({ name: z.string(), bytes: z.number() })),
  files: z.record(z.string(), z.object({ bytes: z.number(), sha256: z.string() })),
});
type BaseRecord = z.infer<typeof recordSchema>;
const BASE: LayerKind<BaseRecord> = { record: 'layer.json', schema: recordSchema };

export function baseLayer(lock: ImageLock, tools: ToolVersions): ImageLayer<BaseContent> {
  const key = layerKey(lock, tools);
  const layer: ImageLayer<BaseContent> = {
    key,
    isCached: (cacheFolder) => isLayerCached(BASE, key, cacheFolder),
    verify: (deps) => readContent(key, deps),
    async make(deps) {
      const { cache, signal, onWaiting } = deps;
      const options = { ...(signal && { signal }), ...(onWaiting && { onWaiting }) };
      await withLock(cache.folder, { name: baseLayerLock, why: 'building a base layer' }, options, async () => {
        // Another build may have made it before it released the lock.
        if (await layer.verify(deps)) return;
        await cacheLayer(BASE, key, deps, (folder, shop) => installPackages(lock, key, folder, shop));
        deps.onDone?.('base layer cached');
      });
    },
    async copyTo(to, deps) {
      await copyLayer(BASE, key, to, deps);
    },
  };
  return layer;
}

/** Covers packages, node settings, size and tools. */
export function layerKey(lock: ImageLock, { mmdebstrap, mke2fs, debugfs }: ToolVersions): string {
  const packages = debsOf(lock).map(({ component }) => component);
  const words = unpackInputs({ packages, ...settingsOf(lock) });
  const options = ext4Options({ uuid: '', label: LABEL });
  const content = [FORMAT, baseSha256(lock), words, options, lock.disk.sizeMb, { mmdebstrap, mke2fs, debugfs }];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

async function readContent(key: string, { cache, signal }: LayerDeps): Promise<BaseContent | undefined> {
  const record = await readLayerRecord(BASE, key, cache.folder);
  if (record === undefined) return undefined;
  const folder = layerFolder(cache.folder, key);
  const read = async (part: keyof typeof KERNEL_FILES) => {
    const name = KERNEL_FILES[part];
    const bytes = await readFile(join(folder, name), { signal }).catch((error: unknown) => {
      signal?.throwIfAborted();
      if (!isMissing(error)) throw error;
    });
    const sha256 = bytes && createHash('sha256').update(bytes).digest('hex');
    if (bytes === undefined || sha256 !== record.files[name]?.sha256) throw await moveLayerAside(folder, name);
    return bytes;
  };
  const kernel = {
    release: record.kernelRelease,
    vmlinuz: await read('vmlinuz'),
    initrd: await read('initrd'),
    vmlinux: await read('vmlinux'),
    initrdPlain: await read('initrdPlain'),
    loader: await read('loader'),
  };
  return { kernel, packages: record.packages };
}

type BaseBuildDeps = ImageBuildDeps & { runAsRoot: RunCommand };

async function installPackages(
  lock: ImageLock,
  key: string,
  layer: string,
  deps: BaseBuildDeps,
): Promise<LayerFacts<BaseRecord>> {
  const { cache, run, runAsRoot, folder, signal, onWaiting, onDone } = deps;
  const needed = { what: 'the base of the image', bytes: WORK_BYTES, option: '--cache' } as const;
  requireImageSpace(cache.folder, await statfsFree(cache.folder), needed);
  const repository = await makePackageRepository(debsOf(lock), join(folder, 'packages'), {
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
  const rootfs = await unpackBase({ repository, ...settings }, { runAsRoot, folder, signal, onWaiting });
  onDone?.('packages installed');
  onWaiting?.('the kernel to be unpacked');
  const kernelRelease = await takeKernel(rootfs, layer, deps);
  onWaiting?.('the file system');
  const file = join(layer, LAYER_ROOT);
  const root = { file, bytes, uuid: derivedId(key, 'root file system'), label: LABEL, epochSec };
  await makeExt4(rootfs, root, { runAsRoot, folder, signal });
  onDone?.('file system made');
  const files: Record<string, FileSum> = {};
  for (const name of Object.values(KERNEL_FILES)) {
    files[name] = await checksumFile(join(layer, name), signal);
    await chmod(join(layer, name), 0o400);
  }
  const packages = repository.packages.map(({ name, bytes }) => ({ name, bytes }));
  return { kernelRelease, packages, files };
}

/** The packages twice (archived and unpacked), the file system and the kernel files. */
const WORK_BYTES = 2.5 * 2 ** 30;

function debsOf({ artifacts }: ImageLock): Artifact[] {
  return artifacts.filter(({ kind }) => kind === 'deb').toSorted((a, b) => (a.component < b.component ? -1 : 1));
}

function settingsOf(lock: ImageLock): Omit<BaseContents, 'repository'> {
  return {
    architecture: lock.architecture,
    nodeFiles: nodeFiles(new Set(debsOf(lock).map(({ component }) => component))),
    epochSec: epochOf(lock.base),
  };
}
