import { describe, expect, it } from 'vitest';
import { epochOf } from './epoch.ts';

describe('epochOf', () => {
  it.each([
    ['2026.1116', '2026-11-16'],
    ['2026.101', '2026-01-01'],
  ])('of the package lists of %s is midnight of %s', (date, day) => {
    expect(epochOf({ date })).toBe(Date.parse(`${day}T00:00:00Z`) / 1000);
  });

  it('throws without a date', () => {
    expect(() => epochOf({ date: 'today' })).toThrow('today');
  });
});
