import { describe, expect, it } from 'vitest';
import type { Definition } from '../vms/gallery.ts';
import type { Pool } from '../vms/pools.ts';
import { parseSavedModel, savedModelOf, savedModelState, valuesToSave } from './saved-model.ts';
import { lab } from './testing.ts';

const { provider, ref } = lab();
const pool: Pool = provider.state.pools.get(ref.pool.id)!;
const model = { image: pool.model.image, extensions: pool.model.extensions, customData: 'eA==' };
const saved = valuesToSave(model, { run: 'run-1', pool, values: undefined });
const definition = { id: '/galleries/g/kamino-pool1-prototype' } as Definition;
const withModel = (more: Partial<Pool['model']>): Pool => ({ ...pool, model: { ...pool.model, ...more } });
const onPrototype = withModel({ image: { kind: 'version', id: `${definition.id}/1.0.0` }, extensions: [] });

describe('savedModelState', () => {
  const agent = { name: 'agent', publisher: 'p', type: 't', after: [] };

  it.each<[string, Record<string, string> | undefined, Pool, object]>([
    ['nothing saved', undefined, pool, { state: 'none' }],
    ['the same model', saved, pool, { state: 'current', run: 'run-1' }],
    ['other tags and capacity', saved, { ...pool, tags: { a: 'b' }, capacity: 9 }, { state: 'current', run: 'run-1' }],
    [
      'extensions in another order',
      saved,
      withModel({ extensions: model.extensions.toReversed() }),
      { state: 'current' },
    ],
    ['a prototype', saved, onPrototype, { state: 'current', run: 'run-1' }],
    ['another image', saved, withModel({ image: { kind: 'other', id: '/x' } }), { state: 'stale', run: 'run-1' }],
    ['one more extension', saved, withModel({ extensions: [...model.extensions, agent] }), { state: 'stale' }],
    ['saved by an earlier release', { recipe: saved.recipe! }, pool, { state: 'current' }],
    ['damaged', { recipe: '{' }, pool, { state: 'stale' }],
    ['empty', { recipe: 'null' }, pool, { state: 'stale' }],
  ])('for %s', (_case, values, now, expected) => {
    expect(savedModelState(values, now, definition)).toMatchObject(expected);
  });
});

describe('valuesToSave', () => {
  it('keeps custom data of the same model only, and one earlier model', () => {
    const { customData: _, ...bare } = model;
    const again = valuesToSave(bare, { run: 'run-2', pool, values: saved });
    expect(savedModelOf(again, pool)?.customData).toBe('eA==');
    expect(again).not.toHaveProperty('previous');
    const other = withModel({ image: { kind: 'other', id: '/x' } });
    const replaced = valuesToSave({ ...bare, image: other.model.image }, { run: 'run-3', pool: other, values: again });
    expect(savedModelOf(replaced, other)).not.toHaveProperty('customData');
    expect(replaced.previous).toBe(again.recipe);
    const kept = valuesToSave({ ...bare, image: other.model.image }, { run: 'run-4', pool: other, values: replaced });
    expect(kept.previous).toBe(again.recipe);
  });
});

describe('parseSavedModel', () => {
  it('reads what was saved, and names the Secret that cannot be read', () => {
    expect(parseSavedModel(saved, pool.ref)).toEqual(model);
    expect(() => parseSavedModel({ recipe: 'x' }, pool.ref)).toThrow('headstart-recipe-pool1');
  });
});
