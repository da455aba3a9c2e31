import { describe, expect, it } from 'vitest';
import { didYouMean, fewNames, nearestNames } from './nearest-names.ts';

describe('nearestNames', () => {
  it('returns names that contain the text or differ by a typo', () => {
    expect(nearestNames('pool1', ['k8s-pool1-12345678-vmss', 'k8s-pool2-12345678-vmss'])).toEqual([
      'k8s-pool1-12345678-vmss',
    ]);
    expect(didYouMean('wokers', ['workers', 'system'])).toBe(' (did you mean workers?)');
    expect(didYouMean('0', ['node-000000'])).toBe('');
  });
});

describe('fewNames', () => {
  it.each([
    [[], 'none'],
    [['a'], 'a'],
    [['a', 'b', 'c'], 'a, b, c'],
    [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more'],
  ])('%j is bounded', (names, shown) => {
    expect(fewNames(names, 3)).toBe(shown);
  });
});
