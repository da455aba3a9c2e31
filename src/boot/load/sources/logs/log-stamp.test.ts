import { expect, test } from 'vitest';
import { latestYear, parseDateStamp, parseIsoStamp, parseYearlessStamp } from './log-stamp.ts';

const at = (text: string) => Date.parse(text) * 1000;
const NOW_US = at('2026-01-02T00:00:00Z');

test.each([
  ['2026-11-15T21:08:50Z', at('2026-11-15T21:08:50Z')],
  ['2026-11-15 21:08:50.120', at('2026-11-15T21:08:50.120Z')],
  ['2026-11-15T21:08:50,123456+02:00', at('2026-11-15T19:08:50Z') + 123_456],
  ['2026-11-15T21:08:50-0730', at('2026-11-16T04:38:50Z')],
  ['2026/11/15 21:08:50.000001', at('2026-11-15T21:08:50Z') + 1],
  ['2026-02-30 00:00:01', undefined],
  ['2026-13-01 00:00:01', undefined],
  ['n/a', undefined],
  ['', undefined],
])('parseIsoStamp parses %s', (text, expected) => {
  expect(parseIsoStamp(text)).toBe(expected);
});

test.each([
  ['Sun Nov 15 21:08:50 UTC 2026', at('2026-11-15T21:08:50Z')],
  ['Sun Nov 15 09:08:50 PM UTC 2026', at('2026-11-15T21:08:50Z')],
  ['Sun Nov 15 12:08:50 AM UTC 2026', at('2026-11-15T00:08:50Z')],
  ['Sun 15 Nov 2026 21:08:50 UTC', at('2026-11-15T21:08:50Z')],
  ['Sun Nov 15 21:08:50 CET 2026', undefined],
  ["date: invalid date 'n/a'", undefined],
])('parseDateStamp parses %s', (text, expected) => {
  expect(parseDateStamp(text)).toBe(expected);
});

test('edge case 10: a stamp without a year is in the latest year that is not ahead of now', () => {
  expect(parseYearlessStamp('Dec', 31, '23:59:59', NOW_US)).toBe(at('2025-12-31T23:59:59Z'));
  expect(parseYearlessStamp('Jan', 1, '00:00:01.5', NOW_US)).toBe(at('2026-01-01T00:00:01.500Z'));
  expect(latestYear(1, 2, '12:00:00', NOW_US)).toBe(at('2026-01-02T12:00:00Z')); // up to a day ahead: clocks differ
});

test('edge case 10: February 29th is in the last leap year', () => {
  expect(parseYearlessStamp('Feb', 29, '01:02:03', NOW_US)).toBe(at('2024-02-29T01:02:03Z'));
  expect(parseYearlessStamp('Foo', 29, '01:02:03', NOW_US)).toBeUndefined();
});
