// vms/fake/fake-provider.ts: a provider in memory that keeps its promises: small, real, and open to look into.
import type { Clock } from '../../base/clock.ts';
import type { Model, Pool, PoolRef } from '../pools.ts';
import type { VmProvider } from '../provider.ts';
import { fakeGallery } from './fake-gallery.ts';
import { fakePools } from './fake-pools.ts';
import { fakePublisher } from './fake-publisher.ts';
import { fakeSnapshots } from './fake-snapshots.ts';
import { addPool, type FakeInstance, type FakeWorld, fakeWorld, scaleOut } from './fake-world.ts';

export type { FakeInstance } from './fake-world.ts';

export interface FakeProvider extends VmProvider, FakeWorld {
  addPool(name: string, instances: number, model?: Partial<Model>): Pool;
  /** A new instance from the model as it is now. */
  scaleOut(pool: PoolRef): FakeInstance;
}

export function fakeProvider(clock: Clock): FakeProvider {
  const world = fakeWorld(clock);
  // One object: what a test sets in the world, all four see.
  return Object.assign(world, {
    pools: fakePools(world),
    snapshots: fakeSnapshots(world),
    gallery: fakeGallery(world),
    publisher: fakePublisher(world),
    addPool: (name: string, instances: number, model?: Partial<Model>) => addPool(world, name, instances, model),
    scaleOut: (pool: PoolRef) => scaleOut(world, pool),
  });
}
