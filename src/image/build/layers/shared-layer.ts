// image/build/layers/shared-layer.ts: the base plus everything that all images of a lock share. When is it cached, and when is it written straight into an image?
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
import type { ImageLayer } from './layer.ts';
import {
  cacheLayer,
  copyLayer,
  isLayerCached,
  LAYER_ROOT,
  type LayerKind,
  type LayerSeal,
  layersIn,
  readLayerRecord,
} from './layer-cache.ts';

/** Increase it when the builder makes a different layer from the same inputs. */
const FORMAT = 2;

interface SharedRecord extends LayerSeal {
  placed: readonly PlacedFile[];
}
const recordSchema = z.object({ key: z.string(), rootSum: z.string(), placed: placedSchema });
const SHARED: LayerKind<SharedRecord> = { record: 'shared.json', schema: recordSchema };

type BaseLayer = Pick<ImageLayer<unknown>, 'key' | 'copyTo'>;

/**
 * If a lock has several versions, the layer is made once and cached, and each image is a copy of it. If it has one version, no other image
 * would use the layer, so it is written directly into the image's file system, which saves a copy.
 */
export const isSharedLayerCached = ({ lock }: Pick<ImageTarget, 'lock'>): boolean => lock.kubernetes.length > 1;

/** Makes the same bytes, whether it copies or writes them. Returns the component files of the layer. */
export function sharedLayer(
  target: ImageTarget,
  base: BaseLayer,
): ImageLayer<readonly PlacedFile[], readonly PlacedFile[]> {
  const key = sharedKey(target, base);
  return {
    key,
    isCached: (cacheFolder) => isLayerCached(SHARED, key, cacheFolder),
    verify: async ({ cache }) => (await readLayerRecord(SHARED, key, cache.folder))?.placed,
    async make(deps) {
      if (isLayerCached(SHARED, key, deps.cache.folder)) return;
      await cacheLayer(SHARED, key, deps, async (layer, shop) => {
        await requireLayerSpace(target, deps.cache.folder);
        return { placed: await writeShared(target, base, { file: join(layer, LAYER_ROOT), startBytes: 0 }, shop) };
      });
    },
    async copyTo(to, deps) {
      // Does not use isSharedLayerCached: another lock may have cached the same layer.
      if (!isLayerCached(SHARED, key, deps.cache.folder)) return writeShared(target, base, to, deps);
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
  // containerd imports the images, so its version decides the bytes of the store.
  const containerd = images.length > 0 ? containerdOf(target)?.sha256 : undefined;
  return createHash('sha256')
    .update(JSON.stringify([FORMAT, key, content, containerd]))
    .digest('hex');
}

async function requireLayerSpace({ lock: { disk } }: ImageTarget, cacheFolder: string): Promise<void> {
  const bytes = Math.min(disk.budgetMb, disk.sizeMb) * 2 ** 20;
  const layers = layersIn(cacheFolder);
  requireImageSpace(layers, await statfsFree(layers), { what: 'the shared layer', bytes, option: '--cache' });
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
  deps.onWaiting?.('the shared files');
  const { files, placed } = await layOutShared(target, epochSec, deps);
  deps.onDone?.('shared programs verified, container images imported');
  // Files of a container store belong to root or to users of a namespace.
  const run = await imageRootRunner(deps.run, deps.isRoot);
  const folder = join(deps.folder, 'shared-files');
  if (files.length > 0) await putFiles(to, files, { run, folder, epochSec, signal: deps.signal });
  deps.onDone?.('shared files written');
  return placed;
}
