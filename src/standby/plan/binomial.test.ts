import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atMost, fewestArrivals, mostLate, shareInterval } from './binomial.ts';

describe('atMost', () => {
  it('adds up the chances of the binomial distribution', () => {
    const share = fc.double({ min: 0.001, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(fc.nat({ max: 60 }), fc.nat({ max: 60 }), share, (count, seen, p) => {
        let [chance, sum] = [(1 - p) ** count, 0];
        for (let k = 0; k <= Math.min(seen, count); k++) {
          sum += chance;
          chance *= ((count - k) / (k + 1)) * (p / (1 - p));
        }
        expect(atMost(seen, count, p)).toBeCloseTo(sum, 8);
      }),
    );
  });
});

describe('mostLate', () => {
  it.each([
    [58, 0.95, undefined],
    [59, 0.95, 0],
    [100, 0.95, 1],
    [298, 0.99, undefined],
    [299, 0.99, 0],
    [5, 0.5, 0],
    [1000, 1, undefined],
  ])('of %d arrivals for %d: %s', (count, quantile, late) => {
    expect(mostLate(count, quantile)).toBe(late);
  });

  it('is below what the share allows, and near it for many arrivals', () => {
    const late = mostLate(100_000, 0.95)!;
    expect(late).toBeLessThan(5000);
    expect(late).toBeGreaterThan(4850);
  });

  it.each([0.5, 0.9, 0.95, 0.99, 0.999])('is known from the fewest arrivals for %d on', (quantile) => {
    const fewest = fewestArrivals(quantile)!;
    expect(mostLate(fewest, quantile)).toBe(0);
    expect(mostLate(fewest - 1, quantile)).toBeUndefined();
  });
});

describe('shareInterval', () => {
  it('is the exact interval of Clopper and Pearson', () => {
    const { low, high } = shareInterval(95, 100);
    expect([low.toFixed(4), high.toFixed(4)]).toEqual(['0.8872', '0.9836']);
    expect(shareInterval(10, 10)).toEqual({ low: expect.closeTo(0.025 ** 0.1, 6), high: 1 });
    expect(shareInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });
});
