import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../schema/json.ts';
import { documentDifferences, isSameJson, restore, valueAtPath, withValue } from './difference.ts';

const keys = fc.oneof(fc.stringMatching(/^[a-c]$/), fc.constantFrom('a/b', '~', '~1', ''));
const values = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
/** Without empty objects: removing the last entry removes the object. */
const objects = fc
  .dictionary(keys, fc.oneof(values, fc.dictionary(keys, values, { minKeys: 1, noNullPrototype: true })), {
    noNullPrototype: true,
  })
  .filter((value) => !/\{\}|__proto__/.test(JSON.stringify(value))) as fc.Arbitrary<JsonObject>;

describe('documentDifferences', () => {
  it('returns a JSON Pointer with the old and the new value', () => {
    expect(documentDifferences({ a: { 'x/y': 1, z: [1] } }, { a: { z: [2] }, b: null })).toEqual([
      { at: '/a/x~1y', was: 1 },
      { at: '/a/z', was: [1], as: [2] },
      { at: '/b', as: null },
    ]);
  });

  it('returns nothing only for equal documents', () => {
    fc.assert(
      fc.property(objects, objects, (one, other) => {
        expect(documentDifferences(one, one)).toEqual([]);
        expect(documentDifferences(one, other).length === 0).toBe(isSameJson(one, other));
      }),
    );
  });

  it('ignores the order of fields and the sign of zero', () => {
    expect(isSameJson({ a: 1, b: [0] }, { b: [-0], a: 1 })).toBe(true);
    expect(isSameJson([1, 2], [2, 1])).toBe(false);
  });
});

describe('restore', () => {
  it('restores the original document', () => {
    fc.assert(
      fc.property(objects, objects, (was, as) => {
        const kept = documentDifferences(was, as).filter(({ at }) => at !== '/');
        const missed = documentDifferences(was, restore(as, kept as Json)).map(({ at }) => at);
        expect(missed.filter((at) => at !== '/')).toEqual([]);
      }),
    );
  });

  it('keeps later edits', () => {
    const kept = [{ at: '/a', was: 1, as: 2 }];
    expect(restore({ a: 2 }, kept)).toEqual({ a: 1 });
    expect(restore({ a: 3 }, kept)).toEqual({ a: 3 });
  });

  it.each<Json | undefined>([undefined, 'x', [1, null, { at: 5 }, { at: '' }, { at: 'x' }], { at: '/a' }])(
    'ignores %j, which is not a list of differences',
    (kept) => {
      expect(restore({ a: 1 }, kept)).toEqual({ a: 1 });
    },
  );
});

describe('withValue', () => {
  it('creates parent objects and removes them with their last entry', () => {
    expect(withValue({}, ['a', 'b'], 1)).toEqual({ a: { b: 1 } });
    expect(withValue({ a: { b: 1 }, c: 1 }, ['a', 'b'], undefined)).toEqual({ c: 1 });
    expect(withValue({ a: {} }, ['a', 'b'], undefined)).toEqual({ a: {} });
  });

  it('changes nothing below a value that is not an object, or below an inherited key', () => {
    expect(withValue({ a: 1 }, ['a', 'b'], 2)).toEqual({ a: 1 });
    expect(valueAtPath({ a: 1 }, ['a', 'b'])).toBeUndefined();
    expect(valueAtPath({}, ['constructor', 'name'])).toBeUndefined();
  });

  it('sets the value at the path and changes nothing else', () => {
    fc.assert(
      fc.property(objects, keys, values, (document, key, value) => {
        const before = structuredClone(document);
        const changed = withValue(document, [key], value);
        expect(valueAtPath(changed, [key])).toEqual(value);
        expect(withValue(changed, [key], undefined)).toEqual(withValue(document, [key], undefined));
        expect(document).toEqual(before);
      }),
    );
  });
});
