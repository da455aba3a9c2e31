import { describe, expect, it } from 'vitest';
import { median, noiseOf, spread } from './noise.ts';

describe('noise', () => {
  it('is unknown for single values and 0 for equal values', () => {
    expect(noiseOf([1], [2])).toBeUndefined();
    expect(noiseOf([5, 5, 5], [5, 5])).toBe(0);
    expect(noiseOf([10, 20], [5])).toBeGreaterThan(0);
  });

  it('is not affected by one outlier among many values', () => {
    const calm = [100, 101, 99, 100, 102, 98, 100];
    expect(noiseOf([...calm, 10_000], calm)!).toBeLessThan(10);
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1])).toBe(2.5);
  });

  it('uses the spread of the other side for a side with a single value', () => {
    expect(noiseOf([10, 20], [5])).toBe(noiseOf([5], [10, 20]));
    expect(noiseOf([], [10, 20])).toBeUndefined();
  });

  it('is computed from the range of two to four values, and from the median deviation of more', () => {
    expect(spread([4])).toBeUndefined();
    expect(spread([10, 12])).toBeCloseTo(2 / 1.128);
    expect(spread([10, 12, 14, 10])).toBeCloseTo(4 / 2.059);
    expect(spread([1, 2, 3, 4, 100])).toBeCloseTo(1.4826);
  });

  it('has a median of 0 for no values', () => {
    expect(median([])).toBe(0);
  });
});
