import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../service/json.ts';
import { sizeOf, wantedCounts } from './size.ts';

const pool = (maxReadyCapacity: number, minReadyCapacity: number, more: JsonObject = {}) => ({
  properties: { elasticityProfile: { maxReadyCapacity, minReadyCapacity }, ...more },
});
const set = (capacity: number) => ({ top: { sku: { capacity } } });

describe('the size of a standby pool', () => {
  it.each([
    [15, 0, 10, 5], // Microsoft's own examples
    [15, 0, 5, 10],
    [15, 0, 20, 0],
    [20, 5, 18, 5],
    [20, 5, 0, 20],
    [1000, 50, 980, 20],
  ])('with at most %i, at least %i and %i instances is %i', (most, least, instances, size) => {
    expect(sizeOf(pool(most, least), set(instances))).toBe(size);
  });
});

describe('a mix', () => {
  it('counts every VM once, and is never a whole VM off its percentage', () => {
    const cuts = fc.tuple(fc.nat(100), fc.nat(100)).map(([a, b]) => [Math.min(a, b), Math.abs(a - b)] as const);
    fc.assert(
      fc.property(cuts, fc.nat(1000), ([runningPercent, hibernatedPercent], size) => {
        const deallocatedPercent = 100 - runningPercent - hibernatedPercent;
        const percents = { runningPercent, hibernatedPercent, deallocatedPercent };
        const counts = wantedCounts(
          pool(size, size, { virtualMachineState: 'Mix', vmStateDistribution: percents }),
          size,
        );
        expect(counts.running + counts.hibernated + counts.deallocated).toBe(size);
        for (const power of ['running', 'hibernated', 'deallocated'] as const)
          expect(Math.abs(counts[power] - (size * percents[`${power}Percent`]) / 100)).toBeLessThan(1);
      }),
    );
  });
});
