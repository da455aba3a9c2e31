// vms/contract.ts: what does every VM factory promise? The tests that Azure, QEMU and the fake all pass.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../base/clock.ts';
import { Conflict, NotFound, Refused } from '../base/failures.ts';
import type {
  Definition,
  DefinitionSpec,
  Factory,
  ImageRef,
  Instance,
  ModelChange,
  PoolRef,
  Version,
} from './factory.ts';

/** What a new instance was born from and given: no factory tells, so the lab looks behind the scenes. */
export interface Birth {
  image: ImageRef;
  /** Decoded; absent = it was given none. */
  customData?: string;
  extensions: string[];
}

export interface Lab {
  factory: Factory;
  clock: Clock;
  /** Running instances of a generalized Linux image, with custom data and the extensions `bootstrap` and `health`. */
  makePool(count: 1 | 2 | 3): Promise<{ ref: PoolRef; providerIds: string[] }>;
  /** One more instance, made by the factory from the model as it is now. */
  grow(pool: PoolRef): Promise<Birth>;
  end(): Promise<void>;
}

const noChange = { kept: 'yes' };

export function factoryContract(name: string, makeLab: () => Promise<Lab>): void {
  describe(`${name} as a factory of VMs`, () => {
    let lab: Lab;
    let factory: Factory;
    beforeEach(async () => {
      lab = await makeLab();
      factory = lab.factory;
    });
    afterEach(() => lab.end());

    const oneInstance = async (): Promise<{ pool: PoolRef; instance: Instance }> => {
      const { ref, providerIds } = await lab.makePool(1);
      const instance = await factory.readInstance(await factory.locate(providerIds[0]!));
      return { pool: ref, instance: instance! };
    };
    const again = async ({ ref }: Instance): Promise<Instance> => (await factory.readInstance(ref))!;

    describe('finding and reading', () => {
      it('locates the instance a provider id names, and it is one of the pool', async () => {
        const { ref, providerIds } = await lab.makePool(3);
        const located = await Promise.all(providerIds.map((id) => factory.locate(id)));
        const listed = await factory.listInstances(ref);
        expect(located.map(({ pool }) => pool.id)).toEqual([ref.id, ref.id, ref.id]);
        expect(listed.map((instance) => instance.ref.id).sort()).toEqual(located.map(({ id }) => id).sort());
      });

      it('gives every instance a VM id of its own, in lower case, and a disk', async () => {
        const { ref } = await lab.makePool(3);
        const listed = await factory.listInstances(ref);
        expect(new Set(listed.map(({ vmId }) => vmId)).size).toBe(3);
        for (const { vmId, osDisk, power } of listed) {
          expect(vmId).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
          expect(osDisk?.sizeGb).toBeGreaterThan(0);
          expect(power).toBe('running');
        }
      });

      it('reads one instance as the list shows it', async () => {
        const { ref, providerIds } = await lab.makePool(2);
        const one = await factory.readInstance(await factory.locate(providerIds[1]!));
        expect((await factory.listInstances(ref)).find(({ ref: { id } }) => id === one?.ref.id)).toEqual(one);
      });

      it('reads a pool with its model, its size and a tag to change it by', async () => {
        const { ref } = await lab.makePool(2);
        const pool = await factory.readPool(ref);
        expect(pool).toMatchObject({ ref, state: 'ready', capacity: 2 });
        expect(pool?.etag).not.toBe('');
        expect(pool?.model).toMatchObject({ os: 'linux', osState: 'generalized', bootstrap: 'unknown' });
        expect(pool?.model.extensions.map((extension) => extension.name).sort()).toEqual(['bootstrap', 'health']);
      });

      it('refuses what is not an instance of a pool', async () => {
        await expect(factory.locate('somewhere:///else')).rejects.toBeInstanceOf(Refused);
      });

      it('reads nothing where there is nothing', async () => {
        const { pool, instance } = await oneInstance();
        const gone = { ...instance.ref, id: goneId(instance.ref.id) };
        expect(await factory.readInstance(gone)).toBeUndefined();
        expect(await factory.readPool({ ...pool, id: goneId(pool.id) })).toBeUndefined();
        expect(await factory.readSnapshot('nothing')).toBeUndefined();
        expect(await factory.readDefinition('nothing', 'nothing')).toBeUndefined();
        expect(await factory.listDefinitions('nothing')).toBeUndefined();
        const definition = await factory.ensureDefinition(await definitionFor(pool), await regionOf(pool));
        expect(await factory.readVersion(definition, '2026.1.1')).toBeUndefined();
      });
    });

    describe('orders about what does not exist', () => {
      const orders: [string, (factory: Factory, gone: Instance['ref'], definition: Definition) => Promise<unknown>][] =
        [
          ['stop', (f, gone) => f.stop(gone)],
          ['stopAndRelease', (f, gone) => f.stopAndRelease(gone)],
          ['start', (f, gone) => f.start(gone)],
          ['setProtection', (f, gone) => f.setProtection(gone, { fromScaleIn: true, fromPoolActions: true })],
          ['tagInstance', (f, gone) => f.tagInstance(gone, noChange)],
          ['setExcludedFromLatest', (f, _gone, definition) => f.setExcludedFromLatest(definition, '2026.1.1', true)],
          ['tagVersion', (f, _gone, definition) => f.tagVersion(definition, '2026.1.1', noChange)],
          ['listInstances', (f, gone) => f.listInstances({ ...gone.pool, id: goneId(gone.pool.id) })],
          ['readRecipe', (f, gone) => f.readRecipe({ ...gone.pool, id: goneId(gone.pool.id) })],
          ['tagPool', (f, gone) => f.tagPool({ ...gone.pool, id: goneId(gone.pool.id) }, noChange)],
        ];
      it.each(orders)('%s says so', async (_name, order) => {
        const { pool, instance } = await oneInstance();
        const definition = await factory.ensureDefinition(await definitionFor(pool), await regionOf(pool));
        const gone = { ...instance.ref, id: goneId(instance.ref.id) };
        await expect(order(factory, gone, definition)).rejects.toBeInstanceOf(NotFound);
      });
    });

    describe('power', () => {
      it('stops and starts, each of them safe to repeat', async () => {
        const { instance } = await oneInstance();
        for (const _ of [1, 2]) {
          await factory.stop(instance.ref);
          expect((await again(instance)).power).toBe('stopped');
        }
        for (const _ of [1, 2]) {
          await factory.start(instance.ref);
          expect((await again(instance)).power).toBe('running');
        }
      });

      it('gives the place up when asked to, and takes one again', async () => {
        const { instance } = await oneInstance();
        for (const _ of [1, 2]) {
          await factory.stopAndRelease(instance.ref);
          expect((await again(instance)).power).toBe('deallocated');
        }
        await factory.start(instance.ref);
        expect((await again(instance)).power).toBe('running');
      });

      it('keeps the VM id, the disk and the name of an instance that was stopped', async () => {
        const { instance } = await oneInstance();
        await factory.stop(instance.ref);
        await factory.start(instance.ref);
        const { vmId, osDisk, computerName } = await again(instance);
        expect({ vmId, osDisk, computerName }).toEqual({
          vmId: instance.vmId,
          osDisk: instance.osDisk,
          computerName: instance.computerName,
        });
      });

      it('stops waiting when told to', async () => {
        const { instance } = await oneInstance();
        const reason = new Error('enough');
        await expect(factory.stop(instance.ref, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      });
    });

    describe('marks on an instance', () => {
      it.each([
        { fromScaleIn: true, fromPoolActions: true },
        { fromScaleIn: true, fromPoolActions: false },
        { fromScaleIn: false, fromPoolActions: true },
      ])('protects it as asked and takes the protection off again: %j', async (wanted) => {
        const { instance } = await oneInstance();
        for (const _ of [1, 2]) {
          await factory.setProtection(instance.ref, wanted);
          expect((await again(instance)).protection).toEqual(wanted);
        }
        await factory.setProtection(instance.ref, { fromScaleIn: false, fromPoolActions: false });
        expect((await again(instance)).protection).toEqual({ fromScaleIn: false, fromPoolActions: false });
      });

      it('adds, changes and removes tags, and leaves the others and the protection alone', async () => {
        const { instance } = await oneInstance();
        await factory.setProtection(instance.ref, { fromScaleIn: true, fromPoolActions: false });
        await factory.tagInstance(instance.ref, { a: '1', b: '2' });
        for (const _ of [1, 2]) {
          await factory.tagInstance(instance.ref, { a: null, b: '3', c: '4' });
          const { tags, protection } = await again(instance);
          expect(tags).toEqual({ ...instance.tags, b: '3', c: '4' });
          expect(protection).toEqual({ fromScaleIn: true, fromPoolActions: false });
        }
      });
    });

    describe('snapshots', () => {
      it("copies a stopped instance's disk, once, with its tags", async () => {
        const { pool, instance } = await oneInstance();
        await factory.stop(instance.ref);
        const spec = snapshotOf(instance, await regionOf(pool));
        for (const _ of [1, 2]) {
          await factory.createSnapshot(spec);
          const seen = await factory.readSnapshot(spec.name);
          expect(seen).toMatchObject({ name: spec.name, state: 'complete', percent: 100, tags: spec.tags });
          expect(seen?.sourceDiskId.toLowerCase()).toBe(spec.sourceDiskId.toLowerCase());
        }
      });

      it('is deleted, and deleting it again is no failure', async () => {
        const { pool, instance } = await oneInstance();
        await factory.stop(instance.ref);
        await factory.createSnapshot(snapshotOf(instance, await regionOf(pool)));
        for (const _ of [1, 2]) {
          await factory.deleteSnapshot('snap');
          expect(await factory.readSnapshot('snap')).toBeUndefined();
        }
      });
    });

    describe('definitions', () => {
      it('are made with their gallery, once', async () => {
        const { ref } = await lab.makePool(1);
        const spec = await definitionFor(ref);
        const first = await factory.ensureDefinition(spec, await regionOf(ref));
        expect(first).toMatchObject(spec);
        expect(await factory.ensureDefinition(spec, await regionOf(ref))).toEqual(first);
        expect(await factory.readDefinition(spec.gallery, spec.name)).toEqual(first);
      });

      it.each<[string, (spec: DefinitionSpec) => Partial<DefinitionSpec>]>([
        ['OS state', () => ({ osState: 'specialized' })],
        ['generation', ({ generation }) => ({ generation: generation === 'V2' ? 'V1' : 'V2' })],
        ['sku', () => ({ sku: 'another' })],
      ])('are refused when one of that name differs in its %s', async (_field, change) => {
        const { ref } = await lab.makePool(1);
        const spec = await definitionFor(ref);
        await factory.ensureDefinition(spec, await regionOf(ref));
        await expect(
          factory.ensureDefinition({ ...spec, ...change(spec) }, await regionOf(ref)),
        ).rejects.toBeInstanceOf(Refused);
      });
    });

    describe('definitions of one gallery', () => {
      it('are listed, and go one by one, the gallery last', async () => {
        const { ref } = await lab.makePool(1);
        const spec = await definitionFor(ref);
        const first = await factory.ensureDefinition(spec, await regionOf(ref));
        const second = await factory.ensureDefinition(
          { ...spec, name: 'another', sku: 'another' },
          await regionOf(ref),
        );
        expect((await factory.listDefinitions(spec.gallery))?.map(({ name: one }) => one).sort()).toEqual(
          [first.name, second.name].sort(),
        );
        for (const _ of [1, 2]) await factory.deleteDefinition(first);
        expect(await factory.listDefinitions(spec.gallery)).toEqual([second]);
        await expect(factory.deleteGallery(spec.gallery)).rejects.toBeInstanceOf(Refused);
        expect(await factory.readDefinition(spec.gallery, second.name)).toEqual(second);
        await factory.deleteDefinition(second);
        expect(await factory.listDefinitions(spec.gallery)).toEqual([]);
        for (const _ of [1, 2]) await factory.deleteGallery(spec.gallery);
        expect(await factory.listDefinitions(spec.gallery)).toBeUndefined();
      });
    });

    describe('versions', () => {
      it('are begun, become ready, and are as they were asked for', async () => {
        const { definition, region, snapshotId } = await ready();
        const spec = versionSpec(definition, region, snapshotId, '2026.11.15');
        await factory.beginVersion(spec);
        const begun = (await factory.listVersions(definition))[0];
        expect(begun?.state).not.toBe('failed');
        const made = await untilReady(definition, spec.name);
        expect(await factory.listVersions(definition)).toEqual([made]);
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

      it('may be begun twice: it is one version', async () => {
        const { definition, region, snapshotId } = await ready();
        const spec = versionSpec(definition, region, snapshotId, '2026.11.15');
        await factory.beginVersion(spec);
        await factory.beginVersion(spec);
        await untilReady(definition, spec.name);
        await factory.beginVersion(spec);
        expect((await factory.listVersions(definition)).map(({ name: one, state }) => [one, state])).toEqual([
          [spec.name, 'ready'],
        ]);
      });

      it('are shown and hidden, and keep everything else', async () => {
        const { definition, made } = await withVersion();
        for (const isExcluded of [false, false, true]) {
          await factory.setExcludedFromLatest(definition, made.name, isExcluded);
          expect(await untilReady(definition, made.name)).toEqual({ ...made, isExcludedFromLatest: isExcluded });
        }
      });

      it('take tags, give them up again, and keep everything else', async () => {
        const { definition, made } = await withVersion();
        for (const _ of [1, 2]) {
          await factory.tagVersion(definition, made.name, { channel: 'dev', tested: 'yes' });
          const tags = { ...made.tags, channel: 'dev', tested: 'yes' };
          expect(await untilReady(definition, made.name)).toEqual({ ...made, tags });
        }
        await factory.tagVersion(definition, made.name, { channel: null, tested: null, nothing: null });
        expect(await untilReady(definition, made.name)).toEqual(made);
      });

      it('are deleted, and deleting one again is no failure', async () => {
        const { definition, made } = await withVersion();
        for (const _ of [1, 2]) {
          await factory.deleteVersion(definition, made.name);
          expect(await factory.listVersions(definition)).toEqual([]);
        }
      });

      it('keep their definition and their gallery from being deleted', async () => {
        const { definition, made } = await withVersion();
        await expect(factory.deleteDefinition(definition)).rejects.toBeInstanceOf(Refused);
        await expect(factory.deleteGallery(definition.gallery)).rejects.toBeInstanceOf(Refused);
        expect(await factory.readVersion(definition, made.name)).toEqual(made);
      });
    });

    describe('the model', () => {
      it('is changed as a whole: new instances come from the new image, with empty bootstrap', async () => {
        const { pool, made } = await withVersion();
        const before = (await factory.readPool(pool))!;
        await factory.changeModel(before, switchTo(made));
        const after = (await factory.readPool(pool))!;
        expect(after.model).toMatchObject({ image: { kind: 'version', id: made.id }, bootstrap: 'none' });
        expect(after.model.extensions.map((extension) => extension.name)).toEqual(['health']);
        expect(after.tags).toMatchObject({ ...before.tags, kept: 'yes' });
        expect(after.etag).not.toBe(before.etag);

        const born = await lab.grow(pool);
        expect(born.image).toEqual({ kind: 'version', id: made.id });
        expect((born.customData ?? '').trim()).toMatch(/^(#cloud-config)?$/);
        expect(born.extensions).toEqual(['health']);
      });

      it('does not change when the pool is no longer what was read, and nothing of the change lands', async () => {
        const { pool, made } = await withVersion();
        const stale = (await factory.readPool(pool))!;
        await factory.changeModel(stale, { ...switchTo(made), tags: { first: 'yes' } });
        const between = (await factory.readPool(pool))!;
        const late: ModelChange = {
          image: stale.model.image,
          bootstrap: { customData: Buffer.from('late').toString('base64') },
          extensions: { keep: [], add: [] },
          tags: { second: 'yes' },
        };
        await expect(factory.changeModel(stale, late)).rejects.toBeInstanceOf(Conflict);
        expect(await factory.readPool(pool)).toEqual(between);
      });

      it('does not change at all when a part of the change is refused', async () => {
        const { pool, made } = await withVersion();
        const before = (await factory.readPool(pool))!;
        const impossible = { ...switchTo(made), image: { kind: 'version', id: `${goneVersion(made.id)}` } as const };
        await expect(factory.changeModel(before, impossible)).rejects.toThrow();
        expect((await factory.readPool(pool))?.model).toEqual(before.model);
        expect((await lab.grow(pool)).extensions.sort()).toEqual(['bootstrap', 'health']);
      });

      it('says that a pool which is gone cannot be changed', async () => {
        const { pool, made } = await withVersion();
        const read = (await factory.readPool(pool))!;
        const gone = { ...read, ref: { ...read.ref, id: goneId(read.ref.id) } };
        await expect(factory.changeModel(gone, switchTo(made))).rejects.toBeInstanceOf(NotFound);
      });

      it('goes back to the recipe that was saved before', async () => {
        const { pool, made } = await withVersion();
        const original = (await factory.readPool(pool))!;
        const recipe = await factory.readRecipe(pool);
        await factory.changeModel(original, switchTo(made));
        const customData = Buffer.from('#cloud-config\nruncmd: [join]\n').toString('base64');
        const back: ModelChange = {
          image: recipe.image,
          bootstrap: { customData },
          extensions: { keep: [], add: recipe.extensions },
          tags: { kept: null },
        };
        await factory.changeModel((await factory.readPool(pool))!, back);
        const restored = (await factory.readPool(pool))!.model;
        expect(restored).toEqual({ ...original.model, bootstrap: 'unknown' });
        const born = await lab.grow(pool);
        expect(born.customData).toContain('runcmd: [join]');
        expect(born.extensions.sort()).toEqual(['bootstrap', 'health']);
      });
    });

    describe('tags of a pool', () => {
      it('are added, changed and removed; the model, its bootstrap and the others stay', async () => {
        const { ref } = await lab.makePool(1);
        const before = (await factory.readPool(ref))!;
        await factory.tagPool(ref, { a: '1', b: '2' });
        for (const _ of [1, 2]) {
          await factory.tagPool(ref, { a: null, b: '3', c: '4' });
          const { tags, model } = (await factory.readPool(ref))!;
          expect({ tags, model }).toEqual({ tags: { ...before.tags, b: '3', c: '4' }, model: before.model });
        }
        const born = await lab.grow(ref);
        expect(born.customData ?? '').not.toBe('');
        expect(born.extensions.sort()).toEqual(['bootstrap', 'health']);
      });

      it('move the tag that a change is conditional on', async () => {
        const { pool, made } = await withVersion();
        const stale = (await factory.readPool(pool))!;
        await factory.tagPool(pool, { a: '1' });
        await expect(factory.changeModel(stale, switchTo(made))).rejects.toBeInstanceOf(Conflict);
      });
    });

    describe('references', () => {
      it('are none for a version that nothing uses', async () => {
        const { definition } = await withVersion();
        expect([...(await factory.referencedImages(definition))]).toEqual([]);
      });

      it('name the version a model points at', async () => {
        const { pool, definition, made } = await withVersion();
        await factory.changeModel((await factory.readPool(pool))!, switchTo(made));
        expect([...(await factory.referencedImages(definition))]).toEqual([made.id]);
      });

      it('name the version an instance was made from, also after the model has moved on', async () => {
        const { pool, definition, made } = await withVersion();
        const original = (await factory.readPool(pool))!;
        await factory.changeModel(original, switchTo(made));
        await lab.grow(pool);
        const switched = (await factory.readPool(pool))!;
        await factory.changeModel(switched, { ...switchTo(made), image: original.model.image });
        expect([...(await factory.referencedImages(definition))]).toEqual([made.id]);
      });
    });

    async function regionOf(pool: PoolRef): Promise<string> {
      return (await factory.readPool(pool))!.region;
    }

    async function definitionFor(ref: PoolRef): Promise<DefinitionSpec> {
      const { model } = (await factory.readPool(ref))!;
      const { osState, generation, architecture, securityType, plan } = model;
      const identity = { publisher: 'headstart', offer: 'contract', sku: ref.name };
      const traits = { osState, generation, architecture, securityType, ...(plan && { plan }) };
      return { gallery: 'SIG_contract', name: `kamino-${ref.name}-prototype`, ...traits, ...identity };
    }

    async function ready() {
      const { pool, instance } = await oneInstance();
      const region = await regionOf(pool);
      const definition = await factory.ensureDefinition(await definitionFor(pool), region);
      await factory.stop(instance.ref);
      await factory.createSnapshot(snapshotOf(instance, region));
      await factory.start(instance.ref);
      return { pool, definition, region, snapshotId: (await factory.readSnapshot('snap'))!.id };
    }

    async function withVersion() {
      const { pool, definition, region, snapshotId } = await ready();
      await factory.beginVersion(versionSpec(definition, region, snapshotId, '2026.11.15'));
      return { pool, definition, made: await untilReady(definition, '2026.11.15') };
    }

    async function untilReady(definition: Definition, version: string): Promise<Version> {
      for (let looks = 0; looks < 1000; looks++) {
        const found = await factory.readVersion(definition, version);
        if (found?.state === 'ready') return found;
        if (!found || found.state === 'failed')
          throw new Error(`version ${version}: ${found?.failure ?? 'is not there'}`);
        await lab.clock.sleep(60_000);
      }
      throw new Error(`version ${version} never became ready`);
    }
  });
}

function snapshotOf(instance: Instance, region: string) {
  return { name: 'snap', sourceDiskId: instance.osDisk!.id, region, tags: { donor: instance.vmId } };
}

function versionSpec(definition: Definition, region: string, snapshotId: string, name: string) {
  const terms = { replicas: 3, redundancy: 'zone', isExcludedFromLatest: true } as const;
  return { definition, name, snapshotId, region, ...terms, tags: { donor: 'someone' } };
}

function switchTo(version: Version): ModelChange {
  return {
    image: { kind: 'version', id: version.id },
    bootstrap: 'none',
    extensions: { keep: ['health'], add: [] },
    tags: noChange,
  };
}

/** The same place, another name: ids end in the name or number of what they mean. */
function goneId(id: string): string {
  return `${id}9999`;
}

function goneVersion(id: string): string {
  return id.replace(/[^./]+$/, '99');
}
