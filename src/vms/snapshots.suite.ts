// vms/snapshots.suite.ts: tests of the contract snapshots.ts. The fake, Azure and QEMU pass them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Lab, oneInstance, regionOf, snapshotOf } from './lab.testing.ts';
import type { Pools } from './pools.ts';
import type { Snapshots } from './snapshots.ts';

export function snapshotsSuite(name: string, makeLab: () => Promise<Lab>): void {
  describe(`${name}: snapshots`, () => {
    let lab: Lab;
    let pools: Pools;
    let snapshots: Snapshots;
    beforeEach(async () => {
      lab = await makeLab();
      ({ pools, snapshots } = lab.provider);
    });
    afterEach(() => lab.end());

    it('returns undefined before the snapshot is made', async () => {
      expect(await snapshots.readSnapshot('nothing')).toBeUndefined();
    });

    it("copies a stopped instance's disk, once, with its tags", async () => {
      const { pool, instance } = await oneInstance(lab);
      await pools.stop(instance.ref);
      const spec = snapshotOf(instance, await regionOf(lab, pool));
      for (const _ of [1, 2]) {
        await snapshots.createSnapshot(spec);
        const seen = await snapshots.readSnapshot(spec.name);
        expect(seen).toMatchObject({ name: spec.name, state: 'complete', percent: 100, tags: spec.tags });
        expect(seen?.sourceDiskId.toLowerCase()).toBe(spec.sourceDiskId.toLowerCase());
      }
    });

    it('deletes a snapshot, and deleting it again succeeds', async () => {
      const { pool, instance } = await oneInstance(lab);
      await pools.stop(instance.ref);
      await snapshots.createSnapshot(snapshotOf(instance, await regionOf(lab, pool)));
      for (const _ of [1, 2]) {
        await snapshots.deleteSnapshot('snap');
        expect(await snapshots.readSnapshot('snap')).toBeUndefined();
      }
    });
  });
}
