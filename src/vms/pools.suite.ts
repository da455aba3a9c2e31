// vms/pools.suite.ts: tests of the contract pools.ts. The fake, Azure and QEMU pass them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotFound, Refused } from '../base/failures.ts';
import { again, goneId, type Lab, oneInstance, oneTag } from './lab.testing.ts';
import type { InstanceRef, Pools } from './pools.ts';

export function poolsSuite(name: string, makeLab: () => Promise<Lab>): void {
  describe(`${name}: pools`, () => {
    let lab: Lab;
    let pools: Pools;
    beforeEach(async () => {
      lab = await makeLab();
      ({ pools } = lab.provider);
    });
    afterEach(() => lab.end());

    describe('finding and reading', () => {
      it('locates an instance of the pool by its provider id', async () => {
        const { ref, providerIds } = await lab.makePool(3);
        const located = await Promise.all(providerIds.map((id) => pools.locate(id)));
        const listed = await pools.listInstances(ref);
        expect(located.map(({ pool }) => pool.id)).toEqual([ref.id, ref.id, ref.id]);
        expect(listed.map((instance) => instance.ref.id).sort()).toEqual(located.map(({ id }) => id).sort());
      });

      it('locates many instances as it locates one, and skips what is in no pool', async () => {
        const { providerIds } = await lab.makePool(3);
        const located = await pools.locateAll(['somewhere:///else', ...providerIds]);
        expect([...located.keys()].sort()).toEqual([...providerIds].sort());
        for (const id of providerIds) expect(located.get(id)).toEqual(await pools.locate(id));
      });

      it('parses a provider id into the ids that locating it gives', async () => {
        const { providerIds } = await lab.makePool(2);
        const lower = (text: string | undefined) => text?.toLowerCase();
        for (const id of providerIds) {
          const { pool, id: instanceId } = await pools.locate(id);
          const parsed = pools.parseProviderId(id);
          expect(lower(parsed?.instanceId)).toBe(lower(instanceId));
          expect([undefined, lower(pool.id)]).toContain(lower(parsed?.poolId));
        }
        expect(pools.parseProviderId('somewhere:///else')).toBeUndefined();
      });

      it('gives every instance a distinct lower-case VM id and a disk', async () => {
        const { ref } = await lab.makePool(3);
        const listed = await pools.listInstances(ref);
        expect(new Set(listed.map(({ vmId }) => vmId)).size).toBe(3);
        for (const { vmId, osDisk, power } of listed) {
          expect(vmId).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
          expect(osDisk?.sizeGb).toBeGreaterThan(0);
          expect(power).toBe('running');
        }
      });

      it('reads an instance with the same values as in the list', async () => {
        const { ref, providerIds } = await lab.makePool(2);
        const one = await pools.readInstance(await pools.locate(providerIds[1]!));
        const listed = (await pools.listInstances(ref)).find(({ ref: { id } }) => id === one?.ref.id);
        expect(listed).toBeDefined();
        expect(one).toMatchObject(listed!); // a list may leave out what takes a request per instance
      });

      it('reads a pool with its model, its capacity and an etag', async () => {
        const { ref } = await lab.makePool(2);
        const pool = await pools.readPool(ref);
        expect(pool).toMatchObject({ ref, state: 'ready', capacity: 2 });
        expect(pool?.etag).not.toBe('');
        expect(pool?.model).toMatchObject({ os: 'linux', osState: 'generalized', bootstrap: 'unknown' });
        expect(pool?.model.extensions.map((extension) => extension.name).sort()).toEqual(['bootstrap', 'health']);
      });

      it("refuses a provider id that is not that of a pool's instance", async () => {
        await expect(pools.locate('somewhere:///else')).rejects.toBeInstanceOf(Refused);
      });

      it('finds a pool by its name or id, ignoring case, with the same ref as a read', async () => {
        const { ref } = await lab.makePool(2);
        for (const name of [ref.name, ref.id, ref.name.toUpperCase()]) {
          expect(await pools.findPool(name)).toEqual((await pools.readPool(ref))?.ref);
        }
      });

      it.each(['nothing', 'no/such pool', ''])('throws NotFound for the pool %j', async (name) => {
        await lab.makePool(1);
        await expect(pools.findPool(name)).rejects.toBeInstanceOf(NotFound);
      });

      it('returns undefined when the pool or instance does not exist', async () => {
        const { pool, instance } = await oneInstance(lab);
        const gone = { ...instance.ref, id: goneId(instance.ref.id) };
        expect(await pools.readInstance(gone)).toBeUndefined();
        expect(await pools.readPool({ ...pool, id: goneId(pool.id) })).toBeUndefined();
      });
    });

    describe('calls on a pool or instance that does not exist', () => {
      const orders: [string, (pools: Pools, gone: InstanceRef) => Promise<unknown>][] = [
        ['stop', (some, gone) => some.stop(gone)],
        ['deallocate', (some, gone) => some.deallocate(gone)],
        ['start', (some, gone) => some.start(gone)],
        ['setProtection', (some, gone) => some.setProtection(gone, { fromScaleIn: true, fromPoolActions: true })],
        ['tagInstance', (some, gone) => some.tagInstance(gone, oneTag)],
        ['listInstances', (some, gone) => some.listInstances({ ...gone.pool, id: goneId(gone.pool.id) })],
        ['tagPool', (some, gone) => some.tagPool({ ...gone.pool, id: goneId(gone.pool.id) }, oneTag)],
      ];
      it.each(orders)('%s throws NotFound', async (_name, order) => {
        const { instance } = await oneInstance(lab);
        await expect(order(pools, { ...instance.ref, id: goneId(instance.ref.id) })).rejects.toBeInstanceOf(NotFound);
      });
    });

    describe('power', () => {
      it('stops and starts an instance, and repeating either succeeds', async () => {
        const { instance } = await oneInstance(lab);
        for (const _ of [1, 2]) {
          await pools.stop(instance.ref);
          expect((await again(lab, instance)).power).toBe('stopped');
        }
        for (const _ of [1, 2]) {
          await pools.start(instance.ref);
          expect((await again(lab, instance)).power).toBe('running');
        }
      });

      it('deallocates an instance and starts it again', async () => {
        const { instance } = await oneInstance(lab);
        for (const _ of [1, 2]) {
          await pools.deallocate(instance.ref);
          expect((await again(lab, instance)).power).toBe('deallocated');
        }
        await pools.start(instance.ref);
        expect((await again(lab, instance)).power).toBe('running');
      });

      it('keeps the VM id, disk and name of an instance across a stop', async () => {
        const { instance } = await oneInstance(lab);
        await pools.stop(instance.ref);
        await pools.start(instance.ref);
        const { vmId, osDisk, computerName } = await again(lab, instance);
        expect({ vmId, osDisk, computerName }).toEqual({
          vmId: instance.vmId,
          osDisk: instance.osDisk,
          computerName: instance.computerName,
        });
      });

      it('stops waiting when aborted', async () => {
        const { instance } = await oneInstance(lab);
        const reason = new Error('enough');
        await expect(pools.stop(instance.ref, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      });
    });

    describe('protection and tags of an instance', () => {
      it.each([
        { fromScaleIn: true, fromPoolActions: true },
        { fromScaleIn: true, fromPoolActions: false },
        { fromScaleIn: false, fromPoolActions: true },
      ])('sets the requested protection and removes it again: %j', async (wanted) => {
        const { instance } = await oneInstance(lab);
        for (const _ of [1, 2]) {
          await pools.setProtection(instance.ref, wanted);
          expect((await again(lab, instance)).protection).toEqual(wanted);
        }
        await pools.setProtection(instance.ref, { fromScaleIn: false, fromPoolActions: false });
        expect((await again(lab, instance)).protection).toEqual({ fromScaleIn: false, fromPoolActions: false });
      });

      it('adds, changes and removes tags, and keeps the other tags and the protection', async () => {
        const { instance } = await oneInstance(lab);
        await pools.setProtection(instance.ref, { fromScaleIn: true, fromPoolActions: false });
        await pools.tagInstance(instance.ref, { a: '1', b: '2' });
        for (const _ of [1, 2]) {
          await pools.tagInstance(instance.ref, { a: null, b: '3', c: '4' });
          const { tags, protection } = await again(lab, instance);
          expect(tags).toEqual({ ...instance.tags, b: '3', c: '4' });
          expect(protection).toEqual({ fromScaleIn: true, fromPoolActions: false });
        }
      });
    });

    describe('tags of a pool', () => {
      it('are added, changed and removed; the model, its bootstrap and the other tags stay', async () => {
        const { ref } = await lab.makePool(1);
        const before = (await pools.readPool(ref))!;
        await pools.tagPool(ref, { a: '1', b: '2' });
        for (const _ of [1, 2]) {
          await pools.tagPool(ref, { a: null, b: '3', c: '4' });
          const { tags, model } = (await pools.readPool(ref))!;
          expect({ tags, model }).toEqual({ tags: { ...before.tags, b: '3', c: '4' }, model: before.model });
        }
        const born = await lab.grow(ref);
        expect(born.customData ?? '').not.toBe('');
        expect(born.extensions.sort()).toEqual(['bootstrap', 'health']);
      });
    });
  });
}
