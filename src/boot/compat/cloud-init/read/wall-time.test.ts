import { describe, expect, it } from 'vitest';
import type { LogStamp } from './log-line.ts';
import { wallTime } from './wall-time.ts';

const at = (text: string) => Date.parse(text) * 1000;
const NOW = at('2026-11-16T00:00:00Z');
const local = (text: string): LogStamp => ({ kind: 'local', us: at(`${text}Z`) });
const yearless = (month: number, day: number, hour = 0): LogStamp => ({
  kind: 'yearless',
  month,
  day,
  dayUs: hour * 3600e6,
});

describe('a stamp with a zone', () => {
  it('is used unchanged', () => {
    expect(wallTime(NOW).of({ kind: 'zoned', us: 5 })).toBe(5);
    expect(wallTime(NOW).of({ kind: 'none' })).toBeUndefined();
  });
});

describe('a stamp without a zone', () => {
  it('is in UTC until a banner gives the zone, which then also applies to earlier lines', () => {
    const time = wallTime(NOW);
    expect(time.of(local('2026-11-15T22:59:00'))).toBe(at('2026-11-15T22:59:00Z'));
    expect(time.of(local('2026-11-15T23:00:01'), at('2026-11-15T21:00:00Z'))).toBe(at('2026-11-15T21:00:01Z'));
    expect(time.of(local('2026-11-15T23:30:00'))).toBe(at('2026-11-15T21:30:00Z'));
    expect(time.lateShiftUs()).toBe(-2 * 3600e6);
    expect(time.zonesUs()).toEqual([2 * 3600e6]);
  });

  it.each([
    ['half an hour', '2026-11-15T21:30:00', 1800e6],
    ['ten minutes (a clock step)', '2026-11-15T21:10:00', 0],
    ['a day (larger than any zone)', '2026-11-16T21:00:00', 0],
  ])('may be ahead of the banner by %s', (_, stamp, zoneUs) => {
    const time = wallTime(NOW);
    expect(time.of(local(stamp), at('2026-11-15T21:00:00Z'))).toBe(at(`${stamp}Z`) - zoneUs);
  });
});

describe('a stamp without a year', () => {
  it('is in the latest year that is not in the future', () => {
    expect(wallTime(NOW).of(yearless(11, 15))).toBe(at('2026-11-15T00:00:00Z'));
    expect(wallTime(NOW).of(yearless(12, 15))).toBe(at('2025-12-15T00:00:00Z'));
    expect(wallTime(NOW).of(yearless(2, 29))).toBe(at('2024-02-29T00:00:00Z'));
  });

  it('follows the previous stamp over the end of a year', () => {
    const time = wallTime(at('2026-01-02T00:00:00Z'));
    expect(time.of(yearless(12, 31))).toBe(at('2025-12-31T00:00:00Z'));
    expect(time.of(yearless(1, 1))).toBe(at('2026-01-01T00:00:00Z'));
  });

  it('takes its year from a banner, also for earlier lines', () => {
    const time = wallTime(NOW);
    const before = time.of(yearless(9, 2))!;
    expect(time.of(yearless(9, 2, 1), at('2016-09-02T01:00:00Z'))).toBe(at('2016-09-02T01:00:00Z'));
    expect(before + time.lateShiftUs()).toBe(at('2016-09-02T00:00:00Z'));
  });
});
