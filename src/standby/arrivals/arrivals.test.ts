import { describe, expect, it } from 'vitest';
import { arrivalMs, countOf } from './arrivals.ts';

describe('arrivalMs', () => {
  it.each([
    ['2026-11-16T02:00:00Z', 0],
    ['2026-11-16T02:00:00', 0],
    ['2026-11-16t04:30:00+02:30', 0],
    ['2026-11-16T02:00:00.123456Z', 123],
    ['2026-11-16', undefined],
    ['2026-11-16T25:00:00Z', undefined],
  ])('%s', (text, ms) => {
    expect(arrivalMs(text)).toBe(ms === undefined ? undefined : Date.parse('2026-11-16T02:00:00Z') + ms);
  });
});

describe('countOf', () => {
  it.each([
    ['1', 1],
    ['10000', 10_000],
    ['10001', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['x', undefined],
  ])('%s', (text, count) => {
    expect(countOf(text)).toBe(count);
  });
});
