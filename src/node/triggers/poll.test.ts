import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAST_MS, jitterDelayMs, pollDelayMs, seedOf } from './poll.ts';

const aSeed = fc.uuid().map(seedOf);

describe('polling the metadata service', () => {
  it('stays within 20 % of pollMs and is reproducible', () => {
    fc.assert(
      fc.property(aSeed, fc.integer({ min: 5000, max: 3_600_000 }), fc.nat(100_000), (seed, pollMs, count) => {
        const delay = pollDelayMs({ seed, pollMs, count }, false);
        expect(delay).toBeGreaterThanOrEqual(Math.floor(pollMs * 0.8));
        expect(delay).toBeLessThanOrEqual(Math.ceil(pollMs * 1.2));
        expect(pollDelayMs({ seed, pollMs, count }, false)).toBe(delay);
        expect(pollDelayMs({ seed, pollMs, count }, true)).toBeLessThanOrEqual(FAST_MS * 1.2);
      }),
    );
  });

  it('spreads the polls of ten thousand nodes', () => {
    const atSecond = new Map<number, number>();
    for (let node = 0; node < 10_000; node++) {
      const seed = seedOf(`vm-${node}`);
      let ms = 0;
      for (let count = 0; count < 10; count++) ms += pollDelayMs({ seed, pollMs: 60_000, count }, false);
      const second = Math.floor(ms / 1000);
      atSecond.set(second, (atSecond.get(second) ?? 0) + 1);
    }
    // All nodes start at once; after ten polls the busiest second has a few hundred polls.
    expect(Math.max(...atSecond.values())).toBeLessThan(400);
  });

  it('spreads a change evenly over jitterMs', () => {
    const turns = Array.from({ length: 10_000 }, (_, node) => jitterDelayMs(seedOf(`vm-${node}`), 600_000));
    expect(Math.min(...turns)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...turns)).toBeLessThan(600_000);
    const minutes = Array.from({ length: 10 }, (_, at) => turns.filter((ms) => Math.floor(ms / 60_000) === at).length);
    for (const count of minutes) expect(Math.abs(count - 1000)).toBeLessThan(200);
  });
});
