import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson, isObject, type Json, mapValues } from './json.ts';

it('isObject is true for a map, and false for a list, null and text', () => {
  expect(isObject({})).toBe(true);
  for (const value of [[], null, 'a', 1, true, undefined] as const) expect(isObject(value)).toBe(false);
});

it('canonicalJson returns the same text for any order of keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as Json);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(reversed(value as Json))).toBe(text);
    }),
  );
  expect(canonicalJson({ b: [1, { d: null, c: 'ü' }], a: true })).toBe('{"a":true,"b":[1,{"c":"ü","d":null}]}');
});

it('mapValues converts every value and keeps the keys', () => {
  expect(mapValues({ a: 1, b: 2 }, (value) => value * 2)).toEqual({ a: 2, b: 4 });
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reversed(item)]),
  );
}
