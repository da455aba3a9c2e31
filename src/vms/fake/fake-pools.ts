// vms/fake/fake-pools.ts: pools and instances in memory, as ../pools.ts specifies.
import type { CallOptions } from '../../base/call-options.ts';
import { NotFound, Refused } from '../../base/failures.ts';
import { plainCopy } from '../../base/plain-copy.ts';
import type { Instance, InstanceRef, Pools } from '../pools.ts';
import { bump, type FakeWorld, instanceIn, poolIn, tagsAfter } from './fake-world.ts';

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
    parseProviderId(providerId) {
      const [, pool, instanceId] = /^fake:\/\/([^/]+)\/(.+)$/.exec(providerId) ?? [];
      return pool === undefined || instanceId === undefined ? undefined : { instanceId, poolId: `/pools/${pool}` };
    },
    async locateAll(providerIds) {
      const found = new Map<string, InstanceRef>();
      for (const pool of state.pools.values()) {
        for (const { ref } of pool.instances) found.set(`fake://${pool.ref.name}/${ref.id}`, ref);
      }
      return new Map(providerIds.flatMap((id) => (found.has(id) ? [[id, found.get(id)!]] : [])));
    },
    async findPool(name) {
      const wanted = name.toLowerCase();
      const pools = [...state.pools.values()];
      const found = pools.find(({ ref }) => [ref.name, ref.id].some((known) => known.toLowerCase() === wanted));
      if (!found) throw new NotFound(`pool ${name}`);
      return found.ref;
    },
    async readPool(ref) {
      const pool = state.pools.get(ref.id);
      if (!pool) return undefined;
      const { customData: _, settings: __, protectedSettings: ___, instances: ____, ...seen } = pool;
      return plainCopy(seen);
    },
    async readInstance(ref) {
      const instance = state.pools.get(ref.pool.id)?.instances.find((i) => i.ref.id === ref.id);
      return instance && plainCopy(instance);
    },
    listInstances: async (ref) => plainCopy(poolIn(world, ref).instances),

    stop: async (ref, options) => setPower(world, ref, 'stopped', options),
    deallocate: async (ref, options) => setPower(world, ref, 'deallocated', options),
    start: async (ref, options) => setPower(world, ref, 'running', options),
    async setProtection(ref, protection) {
      instanceIn(world, ref).protection = { ...protection };
    },
    async tagInstance(ref, tags) {
      const instance = instanceIn(world, ref);
      instance.tags = tagsAfter(instance.tags, tags);
    },

    async tagPool(ref, tags) {
      const pool = poolIn(world, ref);
      pool.tags = tagsAfter(pool.tags, tags);
      bump(world, pool);
    },
  };
}

function setPower(world: FakeWorld, ref: InstanceRef, power: Instance['power'], options?: CallOptions): void {
  options?.signal?.throwIfAborted();
  const instance = instanceIn(world, ref);
  if (instance.power === power) return;
  instance.power = power;
  world.onPower(instance);
}
