// image/build/layers/shared-layer.ts: the base with what all images of a lock share. When is it kept, and when is it written straight into an image?
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { statfsFree } from '../../../host/disk-space.ts';
import { imageRootRunner } from '../as-root.ts';
import type { ImageBuildDeps, ImageTarget } from '../contract.ts';
import type { Ext4Place } from '../disk/ext4-place.ts';
import { putFiles } from '../disk/put-files.ts';
import { epochOf } from '../epoch.ts';
import { type PlacedFile, placedSchema } from '../files/placed-files.ts';
import { layOutShared, sharedArtifacts } from '../files/version-files.ts';
import { requireImageSpace } from '../free-space.ts';
import { containerdOf } from '../store/container-images.ts';
import {
  copyLayer,
  isLayerKept,
  keepLayer,
  LAYER_ROOT,
  type LayerKind,
  type LayerSeal,
  layersIn,
  readLayerRecord,
} from './keep-layer.ts';
import type { ImageLayer } from './layer.ts';

/** Counts changes of how a layer is made that its content does not show. */
const FORMAT = 2;

interface SharedRecord extends LayerSeal {
  placed: readonly PlacedFile[];
}
const recordSchema = z.object({ key: z.string(), rootSum: z.string(), placed: placedSchema });
const SHARED: LayerKind<SharedRecord> = { record: 'shared.json', schema: recordSchema };

type BaseLayer = Pick<ImageLayer<unknown>, 'key' | 'copyTo'>;

/**
 * A lock with several versions: the layer is made once and kept, and each image is a copy of it. A lock with one version: no other image
 * would come for it, so it is not kept, and the image's own file system is written in its place, which saves a copy.
 */
export const isSharedKept = ({ lock }: Pick<ImageTarget, 'lock'>): boolean => lock.kubernetes.length > 1;

/** The same bytes, whether it is copied or written. Gives the files of components in it. */
export function sharedLayer(
  target: ImageTarget,
  base: BaseLayer,
): ImageLayer<readonly PlacedFile[], readonly PlacedFile[]> {
  const key = sharedKey(target, base);
  return {
    key,
    isKept: (cacheFolder) => isLayerKept(SHARED, key, cacheFolder),
    verify: async ({ cache }) => (await readLayerRecord(SHARED, key, cache.folder))?.placed,
    async make(deps) {
      if (isLayerKept(SHARED, key, deps.cache.folder)) return;
      await keepLayer(SHARED, key, deps, async (layer, shop) => {
        await ensureLayerRoom(target, deps.cache.folder);
        return { placed: await writeShared(target, base, { file: join(layer, LAYER_ROOT), startBytes: 0 }, shop) };
      });
    },
    async copyTo(to, deps) {
      // Not what isSharedKept says: another lock may have kept the same layer.
      if (!isLayerKept(SHARED, key, deps.cache.folder)) return writeShared(target, base, to, deps);
      const { placed } = await copyLayer(SHARED, key, to, deps);
      deps.onDone?.('shared layer copied');
      return placed;
    },
  };
}

export function sharedKey(target: ImageTarget, { key }: Pick<BaseLayer, 'key'>): string {
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

async function ensureLayerRoom({ lock: { disk } }: ImageTarget, cacheFolder: string): Promise<void> {
  const bytes = Math.min(disk.budgetMb, disk.sizeMb) * 2 ** 20;
  const layers = layersIn(cacheFolder);
  requireImageSpace(layers, await statfsFree(layers), { what: 'what all images share', bytes, option: '--cache' });
}

async function writeShared(
  target: ImageTarget,
  base: BaseLayer,
  to: Ext4Place,
  deps: ImageBuildDeps,
): Promise<readonly PlacedFile[]> {
  deps.onWaiting?.('the copy of the base');
  await base.copyTo(to, deps);
  deps.onDone?.('base copied');
  const epochSec = epochOf(target.lock.base);
  deps.onWaiting?.('what all versions share');
  const { files, placed } = await layOutShared(target, epochSec, deps);
  deps.onDone?.('shared programs verified, container images imported');
  // What a container store holds is root's alone, or of root's users in a namespace.
  const run = await imageRootRunner(deps.run, deps.isRoot);
  const folder = join(deps.folder, 'shared-files');
  if (files.length > 0) await putFiles(to, files, { run, folder, epochSec, signal: deps.signal });
  deps.onDone?.('shared files written');
  return placed;
}
