import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const nowMs = Date.parse('2026-11-15T08:00:00Z');

describe('parseRetryAfter', () => {
  it.each([
    ['17', 17_000],
    [' 17 ', 17_000],
    ['0', 0],
    ['999999', 999_999_000],
    ['1000000', undefined],
    ['Sun, 15 Nov 2026 08:02:00 GMT', 120_000],
    ['Sun, 15 Nov 2026 07:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
  ])("'%s'", (text, expected) => {
    expect(parseRetryAfter(text, nowMs)).toBe(expected);
  });

  it('is undefined if the header is missing', () => {
    expect(parseRetryAfter(null, nowMs)).toBeUndefined();
    expect(parseRetryAfter(undefined, nowMs)).toBeUndefined();
  });
});
