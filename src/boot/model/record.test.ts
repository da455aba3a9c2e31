import { describe, expect, it } from 'vitest';
import { unit } from '../testing.ts';
import { hasStarted, moveUnit, startTookUs } from './record.ts';

describe('startTookUs', () => {
  it.each([
    ['the time until the unit was active', unit('a.service', 3, 4), 4e6],
    ['the time until the unit failed', { ...unit('a.service', 3, 0), activatedUs: 0, deactivatedUs: 5e6 }, 2e6],
    ['0 while the unit is still starting', { ...unit('a.service', 3, 0), activatedUs: 1e6, deactivatedUs: 2e6 }, 0],
    ['0 for an instant', unit('a.target', 3, 0), 0],
  ])('is %s', (_, one, tookUs) => {
    expect(startTookUs(one)).toBe(tookUs);
  });

  it('counts only a unit that left its inactive state as started', () => {
    expect(hasStarted(unit('a.service', 3, 1))).toBe(true);
    expect(hasStarted(unit('a.service', 0, 1))).toBe(false);
  });
});

describe('moveUnit', () => {
  it('shifts all stamps except 0, which means never', () => {
    expect(moveUnit(unit('a.service', 3, 1), (us) => us + 5)).toMatchObject({
      activatingUs: 3e6 + 5,
      activatedUs: 4e6 + 5,
      deactivatingUs: 0,
      deactivatedUs: 0,
    });
  });
});
