// image/build/build-images.ts: how are the requested images of a lock built? Existing ones are reused, shared layers are made once, then a few images at a time.

import { withLock } from '../../host/locks.ts';
import type { ImageLock } from '../lock/lock.ts';
import { buildOneImage, type MachineDeps } from './build-image.ts';
import { imageBuildLock } from './build-locks.ts';
import type { ImageTarget } from './contract.ts';
import type { Format } from './disk/disk.ts';
import { type BuiltImage, findImage } from './find-image.ts';
import { inLanes } from './lanes.ts';
import { FETCH, LAYERS } from './pipeline.ts';
import { type BuildReporter, runSharedStages, waitingOf } from './run-stages.ts';
import type { Places } from './stage.ts';

export interface ImageBuildRequest {
  lock: ImageLock;
  /** Kubernetes versions of the lock. */
  versions: readonly string[];
  formats: readonly Format[];
  /** Contains one folder per image. */
  out: string;
  isOffline: boolean;
}

export const targetsOf = ({ lock, versions }: Pick<ImageBuildRequest, 'lock' | 'versions'>): ImageTarget[] =>
  versions.map((kubernetes) => ({ lock, kubernetes }));

export async function fetchForImages(
  order: ImageBuildRequest,
  machine: MachineDeps,
  reporter: BuildReporter,
): Promise<void> {
  const shared = { ...machine, targets: targetsOf(order), isOffline: order.isOffline };
  await runSharedStages(FETCH, shared, placesOf(order, machine), reporter);
}

/** Returns images in the order of `versions` and builds `lanes` of them at a time. If one fails, finished images stay. */
export async function buildImages(
  order: ImageBuildRequest & { lanes: number },
  machine: MachineDeps,
  reporter: BuildReporter,
): Promise<BuiltImage[]> {
  const { lock, versions, lanes, isOffline } = order;
  const { signal } = machine;
  const places = placesOf(order, machine);
  const built = new Map<string, BuiltImage>();
  const findMissing = async () => {
    for (const target of targetsOf(order).filter(({ kubernetes }) => !built.has(kubernetes))) {
      const found = await findImage(target, places, { onWaiting: waitingOf(target.kubernetes, reporter), signal });
      if (found) built.set(target.kubernetes, found);
    }
    return targetsOf(order).filter(({ kubernetes }) => !built.has(kubernetes));
  };
  if ((await findMissing()).length > 0) {
    const waiting = { ...(signal && { signal }), ...(reporter.onWaiting && { onWaiting: reporter.onWaiting }) };
    const why = `building ${lock.name} ${versions.join(', ')}`;
    await withLock(machine.cache.folder, { name: imageBuildLock, why }, waiting, async () => {
      // Another build may have made some images before it released the lock.
      const targets = await findMissing();
      if (targets.length === 0) return;
      const shared = await runSharedStages(LAYERS, { ...machine, targets, isOffline }, places, reporter);
      await inLanes(targets, { lanes, signal }, async (target, stop) => {
        const deps = { ...machine, signal: stop };
        built.set(target.kubernetes, await buildOneImage(target, shared, places, deps, reporter));
      });
    });
  }
  return versions.map((version) => built.get(version)!);
}

const placesOf = ({ out, formats }: ImageBuildRequest, { cache, tools }: MachineDeps): Places => ({
  cacheFolder: cache.folder,
  out,
  formats,
  tools,
});
