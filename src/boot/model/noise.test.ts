import { describe, expect, it } from 'vitest';
import { median, noiseOf, spread } from './noise.ts';

describe('noise', () => {
  it('is unknown of single values and nothing of equal ones', () => {
    expect(noiseOf([1], [2])).toBeUndefined();
    expect(noiseOf([5, 5, 5], [5, 5])).toBe(0);
    expect(noiseOf([10, 20], [5])).toBeGreaterThan(0);
  });

  it('is not moved by one outlier among many', () => {
    const calm = [100, 101, 99, 100, 102, 98, 100];
    expect(noiseOf([...calm, 10_000], calm)!).toBeLessThan(10);
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1])).toBe(2.5);
  });

  it('of a side with a single value is taken to be that of the other', () => {
    expect(noiseOf([10, 20], [5])).toBe(noiseOf([5], [10, 20]));
    expect(noiseOf([], [10, 20])).toBeUndefined();
  });

  it('of two to four values comes from their range, of more from their median deviation', () => {
    expect(spread([4])).toBeUndefined();
    expect(spread([10, 12])).toBeCloseTo(2 / 1.128);
    expect(spread([10, 12, 14, 10])).toBeCloseTo(4 / 2.059);
    expect(spread([1, 2, 3, 4, 100])).toBeCloseTo(1.4826);
  });

  it('has a median of nothing that is 0', () => {
    expect(median([])).toBe(0);
  });
});
