import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatSpan, parseSpan } from './duration.ts';

describe('formatSpan', () => {
  it.each([
    [0, '0'],
    [989, '989us'],
    [1000, '1ms'],
    [1999, '1ms'],
    [1_000_456, '1.000s'],
    [10_000_000, '10s'],
    [10_000_400, '10.000s'],
    [59_999_999, '59.999s'],
    [60_000_000, '1min'],
    [60_571_000, '1min 571ms'],
    [1_000_410_000, '16min 40.410s'],
    [86_000_123_000, '23h 53min 20.123s'],
    [31_557_600_000_000, '1y'],
    [2_629_800_000_000, '1month'],
    [90_000_000_000_000, '2y 10month 6d 19h'],
    [-1_500_000, '-1.500s'],
  ])('%d µs is %s', (us, text) => {
    expect(formatSpan(us)).toBe(text);
  });

  it('formats an unsigned wrap-around given as a bigint', () => {
    expect(formatSpan(BigInt.asUintN(64, -1n))).toMatch(/^584542y /);
  });
});

describe('parseSpan', () => {
  it.each([
    ['5', 5_000_000],
    ['1min 571ms', 60_571_000],
    ['16min 40.410s', 1_000_410_000],
    ['1h30m', 5_400_000_000],
    ['200ms', 200_000],
    ['7 us', 7],
    ['.5s', 500_000],
  ])('%s is %d µs', (text, us) => {
    expect(parseSpan(text)).toBe(us);
  });

  it.each(['', ' ', 'soon', '5 parsecs', '-3s', '1s and more', 's'])('%j is not a span', (text) => {
    expect(parseSpan(text)).toBeUndefined();
  });

  it('parses the output of formatSpan, to the millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 14 }), (us) => {
        const back = parseSpan(formatSpan(us))!;
        expect(us - back).toBeGreaterThanOrEqual(0);
        expect(us - back).toBeLessThan(1000);
      }),
    );
  });

  it('does not throw for any text', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseSpan(text)));
  });
});
