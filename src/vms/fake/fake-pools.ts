// vms/fake/fake-pools.ts: pools and instances in memory, which keep the promises of ../pools.ts.
import type { CallOptions } from '../../base/call-options.ts';
import { NotFound, Refused } from '../../base/failures.ts';
import type { Instance, InstanceRef, Pools } from '../pools.ts';
import { bump, type FakeWorld, instanceOf, poolOf, withChanges } from './fake-world.ts';

export function fakePools(world: FakeWorld): Pools {
  const { state } = world;
  return {
    async locate(providerId) {
      for (const pool of state.pools.values()) {
        const found = pool.instances.find((instance) => providerId === `fake://${pool.ref.name}/${instance.ref.id}`);
        if (found) return found.ref;
      }
      throw new Refused(`${providerId} is not an instance of a pool`);
    },
    async findPool(name) {
      const asked = name.toLowerCase();
      const pools = [...state.pools.values()];
      const found = pools.find(({ ref }) => [ref.name, ref.id].some((known) => known.toLowerCase() === asked));
      if (!found) throw new NotFound(`pool ${name}`);
      return found.ref;
    },
    async readPool(ref) {
      const pool = state.pools.get(ref.id);
      if (!pool) return undefined;
      const { customData: _, instances: __, ...seen } = pool;
      return structuredClone(seen);
    },
    async readInstance(ref) {
      const instance = state.pools.get(ref.pool.id)?.instances.find((i) => i.ref.id === ref.id);
      return instance && structuredClone(instance);
    },
    listInstances: async (ref) => structuredClone(poolOf(world, ref).instances),

    stop: async (ref, options) => setPower(world, ref, 'stopped', options),
    stopAndRelease: async (ref, options) => setPower(world, ref, 'deallocated', options),
    start: async (ref, options) => setPower(world, ref, 'running', options),
    async setProtection(ref, protection) {
      instanceOf(world, ref).protection = { ...protection };
    },
    async tagInstance(ref, tags) {
      const instance = instanceOf(world, ref);
      instance.tags = withChanges(instance.tags, tags);
    },

    async tagPool(ref, tags) {
      const pool = poolOf(world, ref);
      pool.tags = withChanges(pool.tags, tags);
      bump(world, pool);
    },
  };
}

function setPower(world: FakeWorld, ref: InstanceRef, power: Instance['power'], options?: CallOptions): void {
  options?.signal?.throwIfAborted();
  const instance = instanceOf(world, ref);
  if (instance.power === power) return;
  instance.power = power;
  world.onPower(instance);
}
