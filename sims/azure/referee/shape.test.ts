import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../service/json.ts';
import { addToShape, type Shape, shapeDifferences } from './shape.ts';

const shapeOf = (...documents: Json[]): Shape => {
  const shape: Shape = new Map();
  for (const document of documents) addToShape(shape, document);
  return shape;
};

describe('the shape of documents', () => {
  const documents = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

  it('matches every document it was learnt from', () => {
    fc.assert(
      fc.property(fc.array(documents, { minLength: 1, maxLength: 6 }), (all) => {
        const shape = shapeOf(...all);
        for (const one of all) expect([...shapeDifferences(shape, one).found]).toEqual([]);
      }),
    );
  });

  it('does not depend on the order of the documents', () => {
    fc.assert(
      fc.property(fc.array(documents, { maxLength: 6 }), documents, (all, other) => {
        const [one, two] = [
          shapeDifferences(shapeOf(...all), other),
          shapeDifferences(shapeOf(...all.toReversed()), other),
        ];
        expect(one.fields).toBe(two.fields);
        expect(new Map([...one.found].sort())).toEqual(new Map([...two.found].sort()));
      }),
    );
  });

  it.each<[string, Json, string, string]>([
    ['a field that is always there', { b: 1 }, '/a', 'lacking'],
    ['a field that was never there', { a: { x: 1 }, z: 1 }, '/z', 'unrecorded'],
    ['a number where there was an object', { a: 1 }, '/a', 'contradicted'],
    ['null where there never was one', { a: null }, '/a', 'contradicted'],
    ['a field in an item of a list', { a: {}, l: [{ q: 1 }, {}] }, '/l/[]/q', 'lacking'],
  ])('tells %s', (_, document, path, difference) => {
    const shape = shapeOf({ a: { x: 1 }, b: 1, l: [{ q: 2 }] }, { a: {}, l: [] });
    expect(shapeDifferences(shape, document).found.get(path)).toBe(difference);
  });

  it('ignores the keys of tags, because they are data', () => {
    expect([...shapeDifferences(shapeOf({ tags: { a: 'x' } }), { tags: { b: 'y' } }).found]).toEqual([]);
  });
});
