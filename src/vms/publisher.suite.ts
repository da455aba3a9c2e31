// vms/publisher.suite.ts: tests of the contract publisher.ts. The fake, Azure and QEMU pass them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Conflict, NotFound } from '../base/failures.ts';
import { goneId, goneVersion, type Lab, switchTo, withVersion } from './lab.testing.ts';
import type { Pools } from './pools.ts';
import type { ModelChange, Publisher } from './publisher.ts';

export function publisherSuite(name: string, makeLab: () => Promise<Lab>): void {
  describe(`${name}: publisher`, () => {
    let lab: Lab;
    let pools: Pools;
    let publisher: Publisher;
    beforeEach(async () => {
      lab = await makeLab();
      ({ pools, publisher } = lab.provider);
    });
    afterEach(() => lab.end());

    it('changes the model in one update: new instances use the new image, with empty bootstrap', async () => {
      const { pool, made } = await withVersion(lab);
      const before = (await pools.readPool(pool))!;
      await publisher.changeModel(before, switchTo(made));
      const after = (await pools.readPool(pool))!;
      expect(after.model).toMatchObject({ image: { kind: 'version', id: made.id }, bootstrap: 'none' });
      expect(after.model.extensions.map((extension) => extension.name)).toEqual(['health']);
      expect(after.tags).toMatchObject({ ...before.tags, kept: 'yes' });
      expect(after.etag).not.toBe(before.etag);

      const born = await lab.grow(pool);
      expect(born.image).toEqual({ kind: 'version', id: made.id });
      expect((born.customData ?? '').trim()).toMatch(/^(#cloud-config)?$/);
      expect(born.extensions).toEqual(['health']);
    });

    it('throws Conflict and changes nothing when the pool has changed since it was read', async () => {
      const { pool, made } = await withVersion(lab);
      const stale = (await pools.readPool(pool))!;
      await publisher.changeModel(stale, { ...switchTo(made), tags: { first: 'yes' } });
      const between = (await pools.readPool(pool))!;
      const late: ModelChange = {
        image: stale.model.image,
        bootstrap: { customData: Buffer.from('late').toString('base64') },
        extensions: { keep: [], add: [] },
        tags: { second: 'yes' },
      };
      await expect(publisher.changeModel(stale, late)).rejects.toBeInstanceOf(Conflict);
      expect(await pools.readPool(pool)).toEqual(between);
    });

    it('changes nothing when part of the change is refused', async () => {
      const { pool, made } = await withVersion(lab);
      const before = (await pools.readPool(pool))!;
      const impossible = { ...switchTo(made), image: { kind: 'version', id: `${goneVersion(made.id)}` } as const };
      await expect(publisher.changeModel(before, impossible)).rejects.toThrow();
      expect((await pools.readPool(pool))?.model).toEqual(before.model);
      expect((await lab.grow(pool)).extensions.sort()).toEqual(['bootstrap', 'health']);
    });

    it('throws NotFound when it changes a pool that does not exist', async () => {
      const { pool, made } = await withVersion(lab);
      const read = (await pools.readPool(pool))!;
      const gone = { ...read, ref: { ...read.ref, id: goneId(read.ref.id) } };
      await expect(publisher.changeModel(gone, switchTo(made))).rejects.toBeInstanceOf(NotFound);
    });

    it('restores a saved model', async () => {
      const { pool, made } = await withVersion(lab);
      const original = (await pools.readPool(pool))!;
      const saved = await publisher.readModel(pool);
      await publisher.changeModel(original, switchTo(made));
      const customData = Buffer.from('#cloud-config\nruncmd: [join]\n').toString('base64');
      const back: ModelChange = {
        image: saved.image,
        bootstrap: { customData },
        extensions: { keep: [], add: saved.extensions },
        tags: { kept: null },
      };
      await publisher.changeModel((await pools.readPool(pool))!, back);
      const restored = (await pools.readPool(pool))!.model;
      expect(restored).toEqual({ ...original.model, bootstrap: 'unknown' });
      const born = await lab.grow(pool);
      expect(born.customData).toContain('runcmd: [join]');
      expect(born.extensions.sort()).toEqual(['bootstrap', 'health']);
    });

    it('drops an ordering after a removed extension, and restores it with the extension', async () => {
      const { pool, made } = await withVersion(lab);
      const saved = await publisher.readModel(pool);
      const orderings = async () => {
        const { extensions } = (await pools.readPool(pool))!.model;
        return Object.fromEntries(extensions.map(({ name, after }) => [name, after]));
      };
      await publisher.changeModel((await pools.readPool(pool))!, switchTo(made));
      expect(await orderings()).toEqual({ health: [] });
      const bootstrap = saved.extensions.filter((one) => (one as { name: string }).name === 'bootstrap');
      const back: ModelChange = {
        image: saved.image,
        bootstrap: { customData: Buffer.from('#cloud-config\n').toString('base64') },
        extensions: { keep: ['health'], add: bootstrap, after: { health: ['bootstrap', 'absent'] } },
        tags: {},
      };
      await publisher.changeModel((await pools.readPool(pool))!, back);
      expect(await orderings()).toEqual({ bootstrap: [], health: ['bootstrap'] });
    });

    it('throws Conflict when a new tag of the pool has changed its etag', async () => {
      const { pool, made } = await withVersion(lab);
      const stale = (await pools.readPool(pool))!;
      await pools.tagPool(pool, { a: '1' });
      await expect(publisher.changeModel(stale, switchTo(made))).rejects.toBeInstanceOf(Conflict);
    });

    it('throws NotFound when it reads the model of a pool that does not exist', async () => {
      const { ref } = await lab.makePool(1);
      await expect(publisher.readModel({ ...ref, id: goneId(ref.id) })).rejects.toBeInstanceOf(NotFound);
    });
  });
}
