import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitWindow, formatChange, panWindow, placeLabels, ticksOf, zoomWindow } from './time-window.ts';

const limits = { fromUs: -5_000_000, toUs: 100_000_000 };
const anyWindow = fc
  .tuple(fc.integer({ min: -5_000_000, max: 99_000_000 }), fc.integer({ min: 1_000, max: 105_000_000 }))
  .map(([fromUs, widthUs]) => fitWindow({ fromUs, toUs: fromUs + widthUs }, limits));

const width = ({ fromUs, toUs }: { fromUs: number; toUs: number }) => toUs - fromUs;

describe('zooming', () => {
  test('keeps the instant under the pointer in place, if the limits allow it', () => {
    const seen = { fromUs: 20_000_000, toUs: 40_000_000 };
    const zoomed = zoomWindow(seen, limits, 0.5, 25_000_000);
    expect(zoomed).toEqual({ fromUs: 22_500_000, toUs: 32_500_000 });
  });

  test('never leaves the limits and never inverts the window', () => {
    fc.assert(
      fc.property(
        anyWindow,
        fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (seen, factor, share) => {
          const zoomed = zoomWindow(seen, limits, factor, seen.fromUs + share * width(seen));
          expect(zoomed.fromUs).toBeGreaterThanOrEqual(limits.fromUs - 1e-3);
          expect(zoomed.toUs).toBeLessThanOrEqual(limits.toUs + 1e-3);
          expect(width(zoomed)).toBeGreaterThan(0);
        },
      ),
    );
  });

  test('keeps the width when it moves the window', () => {
    fc.assert(
      fc.property(anyWindow, fc.integer(), (seen, byUs) => {
        expect(width(panWindow(seen, limits, byUs))).toBeCloseTo(width(seen), 3);
      }),
    );
  });
});

describe('ticks', () => {
  test('are round and formatted like systemd time spans', () => {
    expect(ticksOf({ fromUs: -1e6, toUs: 105e6 }, 6).map((tick) => tick.label)).toEqual([
      '0',
      '20s',
      '40s',
      '1min',
      '1min 20s',
      '1min 40s',
    ]);
    expect(ticksOf({ fromUs: 1e6, toUs: 1.5e6 }, 5).map((tick) => tick.label)).toEqual([
      '1s',
      '1.100s',
      '1.200s',
      '1.300s',
      '1.400s',
      '1.500s',
    ]);
    expect(ticksOf({ fromUs: 0, toUs: 400 }, 4).map((tick) => tick.label)).toEqual([
      '0.000ms',
      '0.100ms',
      '0.200ms',
      '0.300ms',
      '0.400ms',
    ]);
  });

  test('exist for a boot that took days', () => {
    expect(ticksOf({ fromUs: 0, toUs: 86_400e6 * 3 }, 6).map((tick) => tick.label)).toContain('1d 12h');
  });

  test('are inside the window, in order, and few', () => {
    fc.assert(
      fc.property(anyWindow, fc.integer({ min: 1, max: 20 }), (seen, count) => {
        const ticks = ticksOf(seen, count).map((tick) => tick.atUs);
        expect(ticks.length).toBeLessThanOrEqual(count + 1);
        for (const atUs of ticks) expect(atUs >= seen.fromUs && atUs <= seen.toUs).toBe(true);
        expect([...ticks].sort((a, b) => a - b)).toEqual(ticks);
      }),
    );
  });
});

test('placeLabels puts overlapping labels into the next lane, and drops them if there is none', () => {
  const extentOf = (fromPx: number) => ({ fromPx, toPx: fromPx + 50 });
  expect(placeLabels([100, 10, 80, 110, 50], extentOf, 2)).toEqual([
    { item: 100, lane: 0 },
    { item: 10, lane: 0 },
    { item: 80, lane: 1 },
  ]);
});

test.each([
  [0, '±0'],
  [1_500_000, '+1.500s'],
  [-1_500_000, '−1.500s'],
])('formatChange renders %d µs as %s', (us, text) => {
  expect(formatChange(us)).toBe(text);
});
