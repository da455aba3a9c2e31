import { describe, expect, it } from 'vitest';
import { epochOf } from './epoch.ts';

describe('the time of an image', () => {
  it.each([
    ['2026.1116', '2026-11-16'],
    ['2026.101', '2026-01-01'],
  ])('with the package list of %s is midnight of %s', (date, day) => {
    expect(epochOf({ date })).toBe(Date.parse(`${day}T00:00:00Z`) / 1000);
  });

  it('is an error without a date', () => {
    expect(() => epochOf({ date: 'today' })).toThrow('today');
  });
});
