import { describe, expect, it } from 'vitest';
import { clockSteps, wallRangeAt, zeroOf } from './clock-ticks.ts';
import type { CloudInitBoot, UptimeTick } from './stages.ts';

const bootOf = (...ticks: UptimeTick[]): CloudInitBoot => ({ steps: [], pauses: [], firstUs: 0, lastUs: 0, ticks });
/** A banner with the clock `clockS` and the uptime `upS`, written at `atS`. */
const tick = (clockS: number, atS: number, upS: number): UptimeTick => ({
  clockUs: clockS * 1e6,
  atUs: atS * 1e6,
  upUs: upS * 1e6,
});

describe('wallRangeAt', () => {
  it('is within the second in the banner, and before the stamp of the line', () => {
    expect(wallRangeAt(tick(100, 100.4, 5))).toEqual({ fromUs: 100e6 - 10_000, toUs: 100.401e6 });
    expect(wallRangeAt(tick(100, 103.4, 5))).toEqual({ fromUs: 100e6 - 10_000, toUs: 101e6 });
  });

  it('is not limited by a stamp in whole seconds, or by an earlier stamp', () => {
    expect(wallRangeAt(tick(100, 100, 5)).toUs).toBe(101e6);
    expect(wallRangeAt(tick(100, 99.5, 5)).toUs).toBe(101e6);
  });

  it('is within a second before the stamp if the banner has no clock', () => {
    expect(wallRangeAt({ atUs: 100.5e6, upUs: 5e6 })).toEqual({ fromUs: 99.49e6, toUs: 100.5e6 });
  });
});

describe('zeroOf', () => {
  it('narrows the range with every banner that agrees', () => {
    expect(zeroOf(bootOf(tick(100, 100, 5), tick(110, 110.2, 15)))).toEqual({ fromUs: 95e6 - 10_000, toUs: 95.201e6 });
  });

  it('uses the banners before a step, and gives nothing without banners', () => {
    expect(zeroOf(bootOf(tick(100, 100.5, 5), tick(500, 500.5, 15)))).toEqual(zeroOf(bootOf(tick(100, 100.5, 5))));
    expect(zeroOf(bootOf())).toBeUndefined();
  });
});

describe('clockSteps', () => {
  it('finds a step, forward or back, where two banners contradict each other', () => {
    expect(clockSteps(bootOf(tick(100, 100.5, 5), tick(110, 110.5, 15)))).toEqual([]);
    const [forward, back] = clockSteps(bootOf(tick(100, 100.5, 5), tick(500, 500.5, 15), tick(120, 120.5, 25)));
    expect(forward).toMatchObject({ beforeUs: 100.5e6, afterUs: 500.5e6 });
    expect(forward!.byUs / 1e6).toBeCloseTo(389.489, 2);
    expect(back!.byUs).toBeLessThan(0);
  });
});
