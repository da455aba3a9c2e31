import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSeeds, renderSeeds } from './seeds.testing.ts';

describe('seeds', () => {
  it.each([
    ['7', [7]],
    ['1-4', [1, 2, 3, 4]],
    ['5,1-2, 2', [1, 2, 5]],
    ['1 3', [1, 3]],
  ])('%s are %o', (text, seeds) => {
    expect(parseSeeds(text)).toEqual(seeds);
  });

  it.each(['', 'a-b', '3-1', '-4', '1-', '1..3', '0-999999999'])('%o are not seeds', (text) => {
    expect(parseSeeds(text)).toBeUndefined();
  });

  it('are the same after rendering and parsing', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(200), { minLength: 1 }), (numbers) => {
        const seeds = numbers.toSorted((a, b) => a - b);
        expect(parseSeeds(renderSeeds(seeds))).toEqual(seeds);
      }),
    );
  });
});
