import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Backoff, longestPauseMs, pauseMs } from './backoff.ts';

const tries = fc.integer({ min: 1, max: 1000 });
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const backoffs = fc.record<Backoff>({
  firstMs: fc.integer({ min: 1, max: 60_000 }),
  maxMs: fc.option(fc.integer({ min: 1, max: 600_000 }), { nil: undefined }),
  jitter: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
  retryAfter: fc.constantFrom('replaces', 'at-least', 'precedes', undefined),
  maxRetryAfterMs: fc.option(fc.nat({ max: 600_000 }), { nil: undefined }),
});

describe('pauseMs', () => {
  it('doubles with each try', () => {
    expect([1, 2, 3, 4].map((count) => pauseMs(count, { firstMs: 100 }))).toEqual([100, 200, 400, 800]);
  });

  it('never shrinks from one try to the next, and never exceeds its limit', () => {
    fc.assert(
      fc.property(tries, backoffs, (count, backoff) => {
        const [one, next] = [longestPauseMs(count, backoff), longestPauseMs(count + 1, backoff)];
        expect(next).toBeGreaterThanOrEqual(one);
        expect(next).toBeLessThanOrEqual(backoff.maxMs ?? Number.MAX_SAFE_INTEGER);
      }),
    );
  });

  it('is finite after any number of tries', () => {
    expect(pauseMs(1_000_000, { firstMs: 1000 })).toBeLessThan(Number.MAX_SAFE_INTEGER);
  });

  it('randomizes only the jitter part', () => {
    fc.assert(
      fc.property(tries, backoffs, chance, (count, backoff, random) => {
        const longest = longestPauseMs(count, backoff);
        const pause = pauseMs(count, backoff, { random });
        expect(pause).toBeLessThanOrEqual(longest);
        expect(pause).toBeGreaterThanOrEqual(longest * (1 - (backoff.jitter ?? 0)));
      }),
    );
  });

  it('is not shorter than Retry-After, up to the limit', () => {
    fc.assert(
      fc.property(tries, backoffs, chance, fc.nat({ max: 1_000_000 }), (count, backoff, random, retryAfterMs) => {
        const heeded = Math.min(retryAfterMs, backoff.maxRetryAfterMs ?? retryAfterMs);
        expect(pauseMs(count, backoff, { random, retryAfterMs })).toBeGreaterThanOrEqual(heeded);
      }),
    );
  });

  it.each([
    ['replaces', 500],
    ['at-least', 800],
    ['precedes', 1300],
  ] as const)('combines 800 ms and a Retry-After of 500 ms that %s', (retryAfter, expected) => {
    expect(pauseMs(4, { firstMs: 100, retryAfter }, { retryAfterMs: 500 })).toBe(expected);
  });
});
