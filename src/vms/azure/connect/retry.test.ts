import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTry, type RequestOutcome } from './retry.ts';

const nowMs = Date.parse('2026-11-15T08:00:00Z');

describe('nextTry', () => {
  const answered = (status: number, headers = {}): RequestOutcome => ({ kind: 'answer', status, headers });

  it('always waits at least as long as Retry-After says', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(429, 500, 503),
        fc.nat({ max: 5000 }),
        fc.integer({ min: 1, max: 4 }),
        (status, seconds, tries) => {
          const retry = nextTry(answered(status, { 'retry-after': String(seconds) }), tries, nowMs);
          expect(retry?.waitMs).toBeGreaterThanOrEqual(seconds * 1000);
        },
      ),
    );
  });

  it('never retries in a hot loop without a Retry-After', () => {
    fc.assert(
      fc.property(fc.constantFrom(408, 429, 500, 502, 503, 504), fc.integer({ min: 1, max: 4 }), (status, tries) => {
        expect(nextTry(answered(status), tries, nowMs)?.waitMs).toBeGreaterThanOrEqual(2000);
      }),
    );
  });

  it('gives up in the end', () => {
    for (const outcome of [answered(429), answered(503), { kind: 'no-answer' } as const])
      expect(nextTry(outcome, 100, nowMs)).toBeUndefined();
  });

  it.each([200, 201, 202, 400, 401, 403, 404, 409, 412, 501])('does not retry after %i', (status) => {
    expect(nextTry(answered(status), 1, nowMs)).toBeUndefined();
  });

  it('retries after a broken connection', () => {
    expect([1, 2, 3].map((tries) => nextTry({ kind: 'no-answer' }, tries, nowMs)?.waitMs)).toEqual([2000, 4000, 8000]);
  });
});
