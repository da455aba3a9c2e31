// vms/fake/fake-snapshots.ts: snapshots in memory, as ../snapshots.ts specifies.

import { NotFound, Refused } from '../../base/failures.ts';
import { plainCopy } from '../../base/plain-copy.ts';
import type { Snapshots } from '../snapshots.ts';
import { type FakeWorld, isCopying, requireDeletable } from './fake-world.ts';

export function fakeSnapshots(world: FakeWorld): Snapshots {
  const { state, clock } = world;
  return {
    async readSnapshot(name) {
      const snapshot = state.snapshots.get(name);
      return (
        snapshot && plainCopy(isCopying(world, snapshot) ? { ...snapshot, state: 'creating', percent: 0 } : snapshot)
      );
    },
    async createSnapshot({ name, sourceDiskId, tags }) {
      const owner = [...state.pools.values()]
        .flatMap((pool) => pool.instances)
        .find((i) => i.osDisk?.id === sourceDiskId);
      if (!owner) throw new NotFound(`disk ${sourceDiskId}`);
      if (owner.power === 'running')
        throw new Refused(`${owner.computerName} is running: a copy of its disk would be inconsistent`);
      const known = state.snapshots.get(name);
      if (known && known.sourceDiskId !== sourceDiskId) throw new Refused(`${name} is of another disk`);
      // Only the tags of an existing snapshot change: it is not copied again.
      if (known) {
        known.tags = { ...tags };
        return;
      }
      state.snapshots.set(name, {
        name,
        id: `/snapshots/${name}`,
        state: 'complete',
        percent: 100,
        sourceDiskId,
        createdMs: clock.nowMs(),
        tags: { ...tags },
        isSealed: owner.isSealed,
      });
    },
    async deleteSnapshot(name) {
      requireDeletable(world, `snapshot ${name}`);
      state.snapshots.delete(name);
    },
  };
}
