import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ensureObject,
  type Json,
  type JsonObject,
  merge,
  mergeObjects,
  numberAt,
  objectsAt,
  stringAt,
} from './json.ts';

describe('reading a document', () => {
  const document: JsonObject = { a: { text: 'x', list: [{ b: 1 }, 'y', null] }, none: null };

  it('finds a value only if it has the requested type', () => {
    expect(stringAt(document, 'a', 'text')).toBe('x');
    expect(numberAt(document, 'a', 'text')).toBeUndefined();
    expect(stringAt(document, 'a', 'text', 'length')).toBeUndefined();
    expect(stringAt(document, 'none', 'x')).toBeUndefined();
    expect(objectsAt(document, 'a', 'list')).toEqual([{ b: 1 }]);
    expect(objectsAt(document, 'a')).toEqual([]);
  });

  it('creates missing parent objects', () => {
    const made: JsonObject = { a: 'text' };
    ensureObject(made, 'a', 'b').c = 1;
    expect(made).toEqual({ a: { b: { c: 1 } } });
  });
});

describe('merging documents', () => {
  const values = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('__proto__'));
  const objects = fc.dictionary(fc.stringMatching(/^[a-d]$/), values, {
    noNullPrototype: true,
  }) as fc.Arbitrary<JsonObject>;

  it('merges objects, replaces lists, and removes fields that are null', () => {
    const before = { a: { x: 1, y: 2 }, list: [1, 2], gone: 1 };
    expect(mergeObjects(before, { a: { y: 3 }, list: [], gone: null })).toEqual({ a: { x: 1, y: 3 }, list: [] });
  });

  it('keeps fields that are not named, and is idempotent', () => {
    fc.assert(
      fc.property(objects, objects, (before, change) => {
        expect(merge(before, undefined)).toBe(before);
        expect(mergeObjects(before, {})).toEqual(before);
        const once = mergeObjects(before, change);
        expect(mergeObjects(once, change)).toEqual(once);
      }),
    );
  });

  it('does not modify its input', () => {
    fc.assert(
      fc.property(objects, objects, (before, change) => {
        const copy = structuredClone(before) as Json;
        mergeObjects(before, change);
        expect(before).toEqual(copy);
      }),
    );
  });
});
