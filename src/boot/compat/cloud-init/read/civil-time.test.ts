import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asctimeUs, isoUs, rfc2822Us } from './civil-time.ts';

const dates = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('2200-01-01T00:00:00Z'),
  noInvalidDate: true,
});

describe('calendar times', () => {
  it('agree with Date', () => {
    fc.assert(
      fc.property(dates, (date) => {
        const text = date.toISOString();
        expect(asctimeUs(text.slice(0, 23).replace('.', ','))).toBe(date.getTime() * 1000);
        expect(isoUs(text)).toEqual({ us: date.getTime() * 1000, zoned: true });
      }),
    );
  });

  it.each([
    ['2016-08-30T21:53:25.972325+00:00', '2016-08-30T21:53:25.972Z', 325],
    ['2016-08-30 21:53:25,972 +0200', '2016-08-30T19:53:25.972Z', 0],
    ['2016-08-30 21:53:25-05:30', '2016-08-31T03:23:25.000Z', 0],
    ['2016-08-30T21:53:25Z', '2016-08-30T21:53:25.000Z', 0],
  ])('edge case 11: are read from ISO stamps with an offset, T or a blank: %s', (text, expected, micros) => {
    expect(isoUs(text)?.us).toBe(Date.parse(expected) * 1000 + micros);
  });

  it('that do not exist are rejected', () => {
    expect(asctimeUs('2025-02-29 00:00:00,000')).toBeUndefined();
    expect(isoUs('2026-13-01 00:00:00')).toBeUndefined();
    expect(rfc2822Us('Fri, 31 Sep 2016 19:28:07 +0000')).toBeUndefined();
  });

  it('of a banner are read with their zone', () => {
    expect(rfc2822Us('Fri, 02 Sep 2016 19:28:07 +0200')).toBe(Date.UTC(2016, 8, 2, 17, 28, 7) * 1000);
  });
});
