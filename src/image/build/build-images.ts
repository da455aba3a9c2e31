// image/build/build-images.ts: all images of a lock that are wanted: what they share is made or verified once, then a few are made beside each other.

import type { Waiting } from '../../base/call-options.ts';
import { withLock } from '../../host/locks.ts';
import type { Lock } from '../lock/lock.ts';
import { ensureBaseLayer } from './base/base-layer.ts';
import { type BuildOptions, type Built, buildImage, findSame, type MachineEdges } from './build-image.ts';
import { imageBuildLock } from './build-locks.ts';
import { inLanes } from './lanes.ts';
import { keepShared } from './shared-layer.ts';

export interface BuildsOrder extends BuildOptions {
  lock: Lock;
  /** Of the lock. */
  versions: readonly string[];
  /** How many at a time. */
  lanes: number;
}

/** What is told of one image; of none: of what they share. */
export interface Telling {
  onWaiting?: Waiting | undefined;
  onDone?: ((stage: string) => void) | undefined;
}

export type BuildsEdges = Omit<MachineEdges, keyof Telling> & { about: (kubernetes?: string) => Telling };

/** In the order of `versions`. Those that were finished stay, whatever becomes of the others. */
export async function buildImages(
  { lock, versions, lanes, ...options }: BuildsOrder,
  { about, ...machine }: BuildsEdges,
): Promise<Built[]> {
  const { signal } = machine;
  const built = new Map<string, Built>();
  const findBuilt = async () => {
    for (const kubernetes of versions.filter((version) => !built.has(version))) {
      const same = await findSame({ lock, kubernetes }, options, { ...machine, ...about(kubernetes) });
      if (same) built.set(kubernetes, same);
    }
    return versions.filter((version) => !built.has(version));
  };
  if ((await findBuilt()).length > 0) {
    const { onWaiting, onDone } = about();
    const waiting = { ...(signal && { signal }), ...(onWaiting && { onWaiting }) };
    const why = `building ${lock.name} ${versions.join(', ')}`;
    await withLock(machine.cache.folder, { name: imageBuildLock, why }, waiting, async () => {
      // Whoever held the lock may have made some.
      const missing = await findBuilt();
      if (missing.length === 0) return;
      const shared = { ...machine, ...about() };
      const layer = await ensureBaseLayer(lock, shared);
      onDone?.(layer.isNew ? 'base layer made' : 'base layer verified');
      for (const kubernetes of missing) await keepShared({ lock, kubernetes }, layer, shared);
      await inLanes(missing, { lanes, signal }, async (kubernetes, stop) => {
        const edges = { ...machine, ...about(kubernetes), signal: stop };
        built.set(kubernetes, await buildImage({ lock, kubernetes }, layer, options, edges));
      });
    });
  }
  return versions.map((version) => built.get(version)!);
}
