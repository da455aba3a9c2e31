import { describe, expect, test } from 'vitest';
import { guestClockFrom, parseClockComparison } from './two-clocks.ts';

const reading = { guestMs: 60_000, hostBeforeMs: 63_000, hostAfterMs: 63_010 };

describe('guestClockFrom', () => {
  test('converts host times to the guest clock, with an error of half the time the reading took', () => {
    const clocks = guestClockFrom({ ...reading, uptimeMs: 50_000 })!;
    expect(clocks.onGuestMs(63_005)).toBe(60_000);
    expect(clocks.errorUs).toBe(6_000);
    expect(clocks.kernelStartMs).toBe(10_000);
  });

  test('gives no kernel start without an uptime', () => {
    expect(guestClockFrom(reading)).not.toHaveProperty('kernelStartMs');
  });

  test('gives nothing if the host clock was set back in between', () => {
    expect(guestClockFrom({ ...reading, hostAfterMs: 62_999 })).toBeUndefined();
  });
});

describe('parseClockComparison', () => {
  test('accepts a comparison with and without an uptime', () => {
    expect(parseClockComparison({ ...reading, other: 1 })).toEqual(reading);
    expect(parseClockComparison({ ...reading, uptimeMs: 5 })).toEqual({ ...reading, uptimeMs: 5 });
  });

  test.each([
    null,
    'text',
    {},
    { ...reading, guestMs: '60000' },
    { ...reading, guestMs: -1 },
    { ...reading, hostAfterMs: 1e13 },
    { ...reading, uptimeMs: Number.NaN },
  ])('rejects %j', (value) => {
    expect(parseClockComparison(value)).toBeUndefined();
  });
});
