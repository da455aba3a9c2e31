// vms/fake/fake-provider.ts: a provider in memory that passes the contract suites. Tests can read and set its state.
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
  /** Adds an instance from the current model. */
  scaleOut(pool: PoolRef): FakeInstance;
}

export function fakeProvider(clock: Clock): FakeProvider {
  const world = fakeWorld(clock);
  // One object, so that all four contracts see what a test sets.
  return Object.assign(world, {
    pools: fakePools(world),
    snapshots: fakeSnapshots(world),
    gallery: fakeGallery(world),
    publisher: fakePublisher(world),
    addPool: (name: string, instances: number, model?: Partial<Model>) => addPool(world, name, instances, model),
    scaleOut: (pool: PoolRef) => scaleOut(world, pool),
  });
}
