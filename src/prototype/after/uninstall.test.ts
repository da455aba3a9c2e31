// The plan alone, in any state of the pool.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Version } from '../../vms/gallery.ts';
import { PRIOR_ANNOTATION, TAGS } from '../names.ts';
import { lab } from '../testing.ts';
import { observePool } from './run-uninstall.ts';
import { planUninstall, type UninstallOptions } from './uninstall.ts';
import type { UninstallWorld } from './uninstall-world.ts';

const CUSTOM_DATA = 'Ym9vdHN0cmFw';

describe('planUninstall, in any state', async () => {
  const base = lab();
  await base.run();
  const asked = { pool: base.ref.pool, gallery: base.intent.gallery, runId: 'x' };
  const seen = await observePool(asked, {
    ...base.provider,
    cluster: base.cluster,
    signal: new AbortController().signal,
  });
  const made = seen.versions[0]!;
  const version = (name: string): Version => ({ ...made, name, id: made.id.replace(made.name, name) });
  const NAMES = ['2026.1.1', '2026.1.2', '2026.1.3'];

  const anyWorld: fc.Arbitrary<UninstallWorld> = fc
    .record({
      names: fc.subarray(NAMES),
      creating: fc.subarray(NAMES),
      model: fc.option(fc.constantFrom(...NAMES)),
      runs: fc.array(fc.option(fc.constantFrom(...NAMES)), { minLength: 3, maxLength: 3 }),
      elsewhere: fc.subarray(NAMES),
      isTagged: fc.boolean(),
      hasOthers: fc.boolean(),
      out: fc.subarray([0, 1, 2]),
      hasSnapshot: fc.boolean(),
    })
    .map((drawn) => {
      const image = (name: string | null) =>
        name === null ? seen.savedModel!.image : ({ kind: 'version', id: version(name).id } as const);
      const other = { ...seen.definition!, id: '/other', name: 'other' };
      const references = [drawn.model, ...drawn.runs, ...drawn.elsewhere].flatMap((name) =>
        name ? [version(name).id] : [],
      );
      return {
        ...seen,
        pool: {
          ...seen.pool,
          model: { ...seen.pool.model, image: image(drawn.model) },
          tags: drawn.isTagged ? seen.pool.tags : {},
        },
        machines: seen.machines.map(({ instance, node }, i) => ({
          instance: { ...instance, image: image(drawn.runs[i] ?? null) },
          node: { ...node!, annotations: drawn.out.includes(i) ? { [PRIOR_ANNOTATION]: '{}' } : {} },
        })),
        versions: drawn.names.map((name) => ({
          ...version(name),
          state: drawn.creating.includes(name) ? ('creating' as const) : ('ready' as const),
        })),
        gallery: { name: 'g', definitions: drawn.hasOthers ? [seen.definition!, other] : [seen.definition!] },
        references: new Set(references),
        snapshot: drawn.hasSnapshot
          ? { ...made, state: 'complete' as const, sourceDiskId: '/d', tags: { [TAGS.donor]: 'x' } }
          : undefined,
      };
    });
  const targets = fc.constantFrom<UninstallOptions['to']>('original', 'keep');
  const check = (property: (world: UninstallWorld, options: UninstallOptions) => void) =>
    fc.assert(
      fc.property(anyWorld, targets, (world, to) =>
        property(world, { to, customData: CUSTOM_DATA, isUnsealing: false, unsealed: new Set() }),
      ),
      { numRuns: 3000 },
    );

  it('deletes nothing that an instance, another pool or the chosen model uses', () => {
    check((world, options) => {
      const { steps } = planUninstall(world, options);
      const change = steps.find((step) => step.id === 'put-pool-back');
      const image = change?.id === 'put-pool-back' ? change.change.image : world.pool.model.image;
      const going = steps.flatMap((step) => (step.id === 'delete-versions' ? step.names : []));
      for (const name of going) {
        const { id } = version(name);
        expect(
          world.machines.some(({ instance }) => instance.image?.kind === 'version' && instance.image.id === id),
        ).toBe(false);
        expect(image).not.toEqual({ kind: 'version', id });
        if (world.pool.model.image.kind !== 'version' || world.pool.model.image.id !== id) {
          expect(world.references.has(id)).toBe(false);
        }
      }
      const stays = world.versions.length - going.length;
      if (stays > 0) {
        for (const id of ['delete-definition', 'delete-gallery', 'delete-recipe'])
          expect(steps.map((step) => step.id)).not.toContain(id);
      }
      if ((world.gallery?.definitions.length ?? 0) > 1)
        expect(steps.map((step) => step.id)).not.toContain('delete-gallery');
    });
  });

  it('restores donors first, changes the model before it deletes, and deletes the saved model last', () => {
    check((world, options) => {
      const ids = planUninstall(world, options).steps.map(({ id }) => id);
      const isOut = world.machines.some(({ node }) => node!.annotations[PRIOR_ANNOTATION] !== undefined);
      expect(ids[0] === 'bring-home').toBe(isOut);
      const at = (id: (typeof ids)[number]) => ids.indexOf(id);
      if (at('put-pool-back') >= 0 && at('delete-versions') >= 0) {
        expect(at('put-pool-back')).toBeLessThan(at('delete-versions'));
      }
      if (at('delete-recipe') >= 0) expect(at('delete-recipe')).toBe(ids.length - 1);
    });
  });

  it('either deletes a version or explains why it is kept', () => {
    check((world, options) => {
      const { steps, kept } = planUninstall(world, options);
      const told = [
        ...steps.flatMap((step) => (step.id === 'delete-versions' ? step.names : [])),
        ...kept.flatMap(({ what }) => /^version (.+)$/.exec(what)?.[1] ?? []),
      ];
      expect(told.sort()).toEqual(world.versions.map(({ name }) => name).sort());
    });
  });
});
