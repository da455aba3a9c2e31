import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTry, type RequestOutcome } from './retry.ts';

const nowMs = Date.parse('2026-11-15T08:00:00Z');

describe('asking again', () => {
  const answered = (status: number, headers = {}): RequestOutcome => ({ kind: 'answer', status, headers });

  it('waits at least as long as the service says, always', () => {
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

  it('is never a hot loop where the service says nothing', () => {
    fc.assert(
      fc.property(fc.constantFrom(408, 429, 500, 502, 503, 504), fc.integer({ min: 1, max: 4 }), (status, tries) => {
        expect(nextTry(answered(status), tries, nowMs)?.waitMs).toBeGreaterThanOrEqual(2000);
      }),
    );
  });

  it('ends', () => {
    for (const outcome of [answered(429), answered(503), { kind: 'no-answer' } as const])
      expect(nextTry(outcome, 100, nowMs)).toBeUndefined();
  });

  it.each([200, 201, 202, 400, 401, 403, 404, 409, 412, 501])('is no use after %i', (status) => {
    expect(nextTry(answered(status), 1, nowMs)).toBeUndefined();
  });

  it('follows a connection that broke', () => {
    expect([1, 2, 3].map((tries) => nextTry({ kind: 'no-answer' }, tries, nowMs)?.waitMs)).toEqual([2000, 4000, 8000]);
  });
});
