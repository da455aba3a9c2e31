import { describe, expect, it } from 'vitest';
import { ToolCrash } from './compat-crash.ts';
import { compatStamp } from './compat-stamp.ts';

const utc = { year: 2026, secondsOf: (s: number) => s };
const west = { year: 2026, secondsOf: (s: number) => s + 3600 };
const at = Date.UTC(2026, 10, 15, 21, 8, 50) / 1000;

describe('compatStamp', () => {
  it.each([
    ['2026-11-15 21:08:50,104', at + 0.104],
    ['2026-11-15  21:8:50,1', at + 0.1],
    ['Nov 15 21:08:50', at],
    ['Nov  5 21:08:50', at - 10 * 86_400],
    ['Nov 15 21:08:50.074410', at + 0.07441],
    ['2026-11-15T21:08:50.9999+00:00', at + 0.999],
    ['2026-11-15T23:08:50+02:00', at],
  ])('reads %j', (text, expected) => {
    expect(compatStamp(text, utc)).toBeCloseTo(expected, 6);
  });

  it('reads a stamp without a zone in the zone of the tool', () => {
    expect(compatStamp('2026-11-15 21:08:50,104', west)).toBeCloseTo(at + 3600.104, 6);
    expect(compatStamp('Nov 15 21:08:50', west)).toBe(at + 3600);
    expect(compatStamp('2026-11-15T21:08:50', west)).toBe(at + 3600);
    expect(compatStamp('2026-11-15T21:08:50Z', west)).toBe(at);
  });

  it('skips a date that does not exist', () => {
    expect(compatStamp('Feb 29 21:08:50', utc)).toBeUndefined();
    expect(compatStamp('Feb 29 21:08:50', { ...utc, year: 2024 })).toBe(Date.UTC(2024, 1, 29, 21, 8, 50) / 1000);
    expect(compatStamp('Nov 15 21:08:50 more', utc)).toBeUndefined();
    expect(compatStamp('Sun, 15 Nov 2026 21:08:50 +0000', utc)).toBeUndefined();
    expect(compatStamp('2026-13-15 21:08:50,104', utc)).toBeUndefined();
  });

  it.each(['', 'soon', '15/11/2026', 'nov 15 21:08:50'])('crashes on %j, which date(1) does not accept', (text) => {
    expect(() => compatStamp(text, utc)).toThrow(ToolCrash);
  });
});
