// image/build/build-images.ts: all images of a lock that are wanted: those that are there are found, what the others share is made once, then a few are made at a time.

import { withLock } from '../../host/locks.ts';
import type { Lock } from '../lock/lock.ts';
import { buildImage, type MachineDeps } from './build-image.ts';
import { imageBuildLock } from './build-locks.ts';
import type { Target } from './contract.ts';
import type { Format } from './disk/disk.ts';
import { type Built, findImage } from './find-image.ts';
import { inLanes } from './lanes.ts';
import { FETCH, LAYERS } from './pipeline.ts';
import type { Places } from './stage.ts';
import { type BuildTeller, waitingOf, walkShared } from './walk.ts';

export interface BuildOrder {
  lock: Lock;
  /** Of the lock. */
  versions: readonly string[];
  formats: readonly Format[];
  /** Images are folders in it. */
  out: string;
  /** Nothing is fetched. */
  isOffline: boolean;
}

export const targetsOf = ({ lock, versions }: Pick<BuildOrder, 'lock' | 'versions'>): Target[] =>
  versions.map((kubernetes) => ({ lock, kubernetes }));

export async function fetchForImages(order: BuildOrder, machine: MachineDeps, tell: BuildTeller): Promise<void> {
  const shared = { ...machine, targets: targetsOf(order), isOffline: order.isOffline };
  await walkShared(FETCH, shared, placesOf(order, machine), tell);
}

/** In the order of `versions`, with `lanes` of them made at a time. Those that were finished stay, whatever becomes of the others. */
export async function buildImages(
  order: BuildOrder & { lanes: number },
  machine: MachineDeps,
  tell: BuildTeller,
): Promise<Built[]> {
  const { lock, versions, lanes, isOffline } = order;
  const { signal } = machine;
  const places = placesOf(order, machine);
  const built = new Map<string, Built>();
  const findMissing = async () => {
    for (const target of targetsOf(order).filter(({ kubernetes }) => !built.has(kubernetes))) {
      const found = await findImage(target, places, { onWaiting: waitingOf(target.kubernetes, tell), signal });
      if (found) built.set(target.kubernetes, found);
    }
    return targetsOf(order).filter(({ kubernetes }) => !built.has(kubernetes));
  };
  if ((await findMissing()).length > 0) {
    const waiting = { ...(signal && { signal }), ...(tell.onWaiting && { onWaiting: tell.onWaiting }) };
    const why = `building ${lock.name} ${versions.join(', ')}`;
    await withLock(machine.cache.folder, { name: imageBuildLock, why }, waiting, async () => {
      // Another command may have made some while it held the lock.
      const targets = await findMissing();
      if (targets.length === 0) return;
      const shared = await walkShared(LAYERS, { ...machine, targets, isOffline }, places, tell);
      await inLanes(targets, { lanes, signal }, async (target, stop) => {
        const deps = { ...machine, signal: stop };
        built.set(target.kubernetes, await buildImage(target, shared, places, deps, tell));
      });
    });
  }
  return versions.map((version) => built.get(version)!);
}

const placesOf = ({ out, formats }: BuildOrder, { cache, tools }: MachineDeps): Places => ({
  cacheFolder: cache.folder,
  out,
  formats,
  tools,
});
