import { describe, expect, it } from 'vitest';
import { clockSteps, wallRangeAt, zeroOf } from './clock-ticks.ts';
import type { CloudInitBoot, Tick } from './stages.ts';

const bootOf = (...ticks: Tick[]): CloudInitBoot => ({ steps: [], pauses: [], firstUs: 0, lastUs: 0, ticks });
/** A banner that shows the clock at `clockS`, was written at `atS` and names the uptime `upS`. */
const tick = (clockS: number, atS: number, upS: number): Tick => ({
  clockUs: clockS * 1e6,
  atUs: atS * 1e6,
  upUs: upS * 1e6,
});

describe('the clock when a banner read its uptime', () => {
  it('lies in the second it shows, and before the stamp of the line', () => {
    expect(wallRangeAt(tick(100, 100.4, 5))).toEqual({ fromUs: 100e6 - 10_000, toUs: 100.401e6 });
    expect(wallRangeAt(tick(100, 103.4, 5))).toEqual({ fromUs: 100e6 - 10_000, toUs: 101e6 });
  });

  it('is not bounded by a stamp of whole seconds, nor by one before it', () => {
    expect(wallRangeAt(tick(100, 100, 5)).toUs).toBe(101e6);
    expect(wallRangeAt(tick(100, 99.5, 5)).toUs).toBe(101e6);
  });

  it('is within a second before the stamp where the banner shows no clock', () => {
    expect(wallRangeAt({ atUs: 100.5e6, upUs: 5e6 })).toEqual({ fromUs: 99.49e6, toUs: 100.5e6 });
  });
});

describe('uptime zero', () => {
  it('is known better with every banner that agrees', () => {
    expect(zeroOf(bootOf(tick(100, 100, 5), tick(110, 110.2, 15)))).toEqual({ fromUs: 95e6 - 10_000, toUs: 95.201e6 });
  });

  it('is told by the banners before a step, and by none where there is none', () => {
    expect(zeroOf(bootOf(tick(100, 100.5, 5), tick(500, 500.5, 15)))).toEqual(zeroOf(bootOf(tick(100, 100.5, 5))));
    expect(zeroOf(bootOf())).toBeUndefined();
  });
});

describe('a step of the clock', () => {
  it('is what two banners cannot both be right about, forward and back', () => {
    expect(clockSteps(bootOf(tick(100, 100.5, 5), tick(110, 110.5, 15)))).toEqual([]);
    const [forward, back] = clockSteps(bootOf(tick(100, 100.5, 5), tick(500, 500.5, 15), tick(120, 120.5, 25)));
    expect(forward).toMatchObject({ beforeUs: 100.5e6, afterUs: 500.5e6 });
    expect(forward!.byUs / 1e6).toBeCloseTo(389.489, 2);
    expect(back!.byUs).toBeLessThan(0);
  });
});
