import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clockMap } from './clock-map.ts';

const WALL = 1_794_776_878_763_747;

describe('clockMap', () => {
  it('narrows stamps with a resolution of 1 s by combining many of them', () => {
    const anchors = [10_494_711, 23_145_259, 104_768_855, 57_300_001].map((monotonicUs) => ({
      monotonicUs,
      wallUs: Math.floor((WALL + monotonicUs) / 1e6) * 1e6,
      errorUs: 1e6,
    }));
    const map = clockMap(anchors)!;
    expect(Math.abs(map.wallAtZeroUs - WALL)).toBeLessThanOrEqual(map.errorUs);
    expect(map.errorUs).toBeLessThan(500_000);
    expect(map.steps).toEqual([]);
  });

  it('aligns each side of a clock step separately', () => {
    const stepUs = 3_600_000_000;
    const map = clockMap([
      { monotonicUs: 1e6, wallUs: WALL + 1e6, errorUs: 0 },
      { monotonicUs: 9e6, wallUs: WALL + 9e6, errorUs: 0 },
      { monotonicUs: 10e6, wallUs: WALL + 10e6 + stepUs, errorUs: 0 },
    ])!;
    expect(map.steps).toEqual([{ atMonotonicUs: 10e6, byUs: stepUs }]);
    expect(map.toMonotonicUs(WALL + 5e6)).toBe(5e6);
    expect(map.toMonotonicUs(WALL + 20e6 + stepUs)).toBe(20e6);
  });

  it('places a time between the last stamp before a step and the first one after it on the side where it fits', () => {
    const stepUs = 4 * 86_400e6;
    const map = clockMap([
      { monotonicUs: 1e6, wallUs: WALL + 1e6, errorUs: 0 },
      { monotonicUs: 40e6, wallUs: WALL + 40e6, errorUs: 0 },
      { monotonicUs: 60e6, wallUs: WALL + 60e6 + stepUs, errorUs: 0 },
    ])!;
    expect(map.toMonotonicUs(WALL + 45e6 + stepUs)).toBe(45e6);
    expect(map.toMonotonicUs(WALL + 45e6)).toBe(45e6);
  });

  it('ignores a single stamp that contradicts both its neighbours', () => {
    // On a busy machine, the journal may be interrupted between reading the two clocks.
    const at = (monotonicUs: number, offByUs = 0) => ({
      monotonicUs,
      wallUs: WALL + monotonicUs + offByUs,
      errorUs: 0,
    });
    const late = at(26_227_951, -66_689);
    const map = clockMap([at(1e6), at(26_227_900), late, late, at(26_231_013), at(90e6)])!;
    expect(map.steps).toEqual([]);
    expect(map.toMonotonicUs(WALL + 26_229_000)).toBe(26_229_000);
    expect(clockMap([at(1e6), late])?.steps).toHaveLength(1);
  });

  it('is undefined without anchors', () => {
    expect(clockMap([])).toBeUndefined();
  });

  it('maps a steady clock exactly for any anchors', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000_000), { minLength: 1 }), fc.nat(100_000_000), (stamps, atUs) => {
        const map = clockMap(stamps.map((monotonicUs) => ({ monotonicUs, wallUs: WALL + monotonicUs, errorUs: 0 })))!;
        expect(map.toMonotonicUs(WALL + atUs)).toBe(atUs);
      }),
    );
  });
});
