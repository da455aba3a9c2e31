// vms/gallery.suite.ts: tests of the contract gallery.ts. The fake, Azure and QEMU pass them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotFound, Refused } from '../base/failures.ts';
import type { Definition, DefinitionSpec, Gallery } from './gallery.ts';
import {
  definitionFor,
  type Lab,
  oneTag,
  regionOf,
  switchTo,
  untilReady,
  versionSpec,
  withSnapshot,
  withVersion,
} from './lab.testing.ts';
import type { Pools } from './pools.ts';
import type { Publisher } from './publisher.ts';

export function gallerySuite(name: string, makeLab: () => Promise<Lab>): void {
  describe(`${name}: gallery`, () => {
    let lab: Lab;
    let pools: Pools;
    let gallery: Gallery;
    let publisher: Publisher;
    beforeEach(async () => {
      lab = await makeLab();
      ({ pools, gallery, publisher } = lab.provider);
    });
    afterEach(() => lab.end());

    it('returns undefined when the gallery, definition or version does not exist', async () => {
      const { ref } = await lab.makePool(1);
      expect(await gallery.readDefinition('nothing', 'nothing')).toBeUndefined();
      expect(await gallery.listDefinitions('nothing')).toBeUndefined();
      const definition = await gallery.ensureDefinition(await definitionFor(lab, ref), await regionOf(lab, ref));
      expect(await gallery.readVersion(definition, '2026.1.1')).toBeUndefined();
    });

    const orders: [string, (some: Gallery, definition: Definition) => Promise<unknown>][] = [
      ['setExcludedFromLatest', (some, definition) => some.setExcludedFromLatest(definition, '2026.1.1', true)],
      ['tagVersion', (some, definition) => some.tagVersion(definition, '2026.1.1', oneTag)],
    ];
    it.each(orders)('%s throws NotFound when the version does not exist', async (_name, order) => {
      const { ref } = await lab.makePool(1);
      const definition = await gallery.ensureDefinition(await definitionFor(lab, ref), await regionOf(lab, ref));
      await expect(order(gallery, definition)).rejects.toBeInstanceOf(NotFound);
    });

    describe('definitions', () => {
      it('are made with their gallery, and only once', async () => {
        const { ref } = await lab.makePool(1);
        const spec = await definitionFor(lab, ref);
        const first = await gallery.ensureDefinition(spec, await regionOf(lab, ref));
        expect(first).toMatchObject(spec);
        expect(await gallery.ensureDefinition(spec, await regionOf(lab, ref))).toEqual(first);
        expect(await gallery.readDefinition(spec.gallery, spec.name)).toEqual(first);
      });

      it.each<[string, (spec: DefinitionSpec) => Partial<DefinitionSpec>]>([
        ['OS state', () => ({ osState: 'specialized' })],
        ['generation', ({ generation }) => ({ generation: generation === 'V2' ? 'V1' : 'V2' })],
        ['sku', () => ({ sku: 'another' })],
      ])('are refused when an existing definition differs in its %s', async (_field, change) => {
        const { ref } = await lab.makePool(1);
        const spec = await definitionFor(lab, ref);
        await gallery.ensureDefinition(spec, await regionOf(lab, ref));
        await expect(
          gallery.ensureDefinition({ ...spec, ...change(spec) }, await regionOf(lab, ref)),
        ).rejects.toBeInstanceOf(Refused);
      });
    });

    describe('definitions of one gallery', () => {
      it('are listed, and deleted one by one before the gallery', async () => {
        const { ref } = await lab.makePool(1);
        const spec = await definitionFor(lab, ref);
        const first = await gallery.ensureDefinition(spec, await regionOf(lab, ref));
        const second = await gallery.ensureDefinition(
          { ...spec, name: 'another', sku: 'another' },
          await regionOf(lab, ref),
        );
        expect((await gallery.listDefinitions(spec.gallery))?.map(({ name: one }) => one).sort()).toEqual(
          [first.name, second.name].sort(),
        );
        for (const _ of [1, 2]) await gallery.deleteDefinition(first);
        expect(await gallery.listDefinitions(spec.gallery)).toEqual([second]);
        await expect(gallery.deleteGallery(spec.gallery)).rejects.toBeInstanceOf(Refused);
        expect(await gallery.readDefinition(spec.gallery, second.name)).toEqual(second);
        await gallery.deleteDefinition(second);
        expect(await gallery.listDefinitions(spec.gallery)).toEqual([]);
        for (const _ of [1, 2]) await gallery.deleteGallery(spec.gallery);
        expect(await gallery.listDefinitions(spec.gallery)).toBeUndefined();
      });
    });

    describe('versions', () => {
      it('are begun and become ready with the requested settings', async () => {
        const { definition, region, snapshotId } = await withSnapshot(lab);
        const spec = versionSpec(definition, region, snapshotId, '2026.11.15');
        await gallery.beginVersion(spec);
        const begun = (await gallery.listVersions(definition))[0];
        expect(begun?.state).not.toBe('failed');
        const made = await untilReady(lab, definition, spec.name);
        expect(await gallery.listVersions(definition)).toEqual([made]);
        expect(made).toMatchObject({
          name: spec.name,
          state: 'ready',
          percent: 100,
          isExcludedFromLatest: true,
          replicas: spec.replicas,
          redundancy: spec.redundancy,
          tags: spec.tags,
        });
        expect(made.sizeGb).toBeGreaterThan(0);
      });

      it('can be begun twice and remain one version', async () => {
        const { definition, region, snapshotId } = await withSnapshot(lab);
        const spec = versionSpec(definition, region, snapshotId, '2026.11.15');
        await gallery.beginVersion(spec);
        await gallery.beginVersion(spec);
        await untilReady(lab, definition, spec.name);
        await gallery.beginVersion(spec);
        expect((await gallery.listVersions(definition)).map(({ name: one, state }) => [one, state])).toEqual([
          [spec.name, 'ready'],
        ]);
      });

      it('are excluded from latest and included again, and keep everything else', async () => {
        const { definition, made } = await withVersion(lab);
        for (const isExcluded of [false, false, true]) {
          await gallery.setExcludedFromLatest(definition, made.name, isExcluded);
          expect(await untilReady(lab, definition, made.name)).toEqual({ ...made, isExcludedFromLatest: isExcluded });
        }
      });

      it('get tags and lose them again, and keep everything else', async () => {
        const { definition, made } = await withVersion(lab);
        for (const _ of [1, 2]) {
          await gallery.tagVersion(definition, made.name, { channel: 'dev', tested: 'yes' });
          const tags = { ...made.tags, channel: 'dev', tested: 'yes' };
          expect(await untilReady(lab, definition, made.name)).toEqual({ ...made, tags });
        }
        await gallery.tagVersion(definition, made.name, { channel: null, tested: null, nothing: null });
        expect(await untilReady(lab, definition, made.name)).toEqual(made);
      });

      it('are deleted, and deleting one again succeeds', async () => {
        const { definition, made } = await withVersion(lab);
        for (const _ of [1, 2]) {
          await gallery.deleteVersion(definition, made.name);
          expect(await gallery.listVersions(definition)).toEqual([]);
        }
      });

      it('prevent the deletion of their definition and gallery', async () => {
        const { definition, made } = await withVersion(lab);
        await expect(gallery.deleteDefinition(definition)).rejects.toBeInstanceOf(Refused);
        await expect(gallery.deleteGallery(definition.gallery)).rejects.toBeInstanceOf(Refused);
        expect(await gallery.readVersion(definition, made.name)).toEqual(made);
      });
    });

    describe('references', () => {
      it('are empty for a version that is not used', async () => {
        const { definition } = await withVersion(lab);
        expect([...(await gallery.referencedImages(definition))]).toEqual([]);
      });

      it('include the version that a model refers to', async () => {
        const { pool, definition, made } = await withVersion(lab);
        await publisher.changeModel((await pools.readPool(pool))!, switchTo(made));
        expect([...(await gallery.referencedImages(definition))]).toEqual([made.id]);
      });

      it('include the version an instance was made from, even after the model has changed', async () => {
        const { pool, definition, made } = await withVersion(lab);
        const original = (await pools.readPool(pool))!;
        await publisher.changeModel(original, switchTo(made));
        await lab.grow(pool);
        const switched = (await pools.readPool(pool))!;
        await publisher.changeModel(switched, { ...switchTo(made), image: original.model.image });
        expect([...(await gallery.referencedImages(definition))]).toEqual([made.id]);
      });
    });
  });
}
