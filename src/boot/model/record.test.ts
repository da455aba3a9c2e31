import { describe, expect, it } from 'vitest';
import { unit } from '../testing.ts';
import { hasStarted, moveUnit, startTookUs } from './record.ts';

describe('the start of a unit', () => {
  it.each([
    ['until it was active', unit('a.service', 3, 4), 4e6],
    ['until it failed', { ...unit('a.service', 3, 0), activatedUs: 0, deactivatedUs: 5e6 }, 2e6],
    ['unknown while it is still starting', { ...unit('a.service', 3, 0), activatedUs: 1e6, deactivatedUs: 2e6 }, 0],
    ['nothing for an instant', unit('a.target', 3, 0), 0],
  ])('takes %s', (_, one, tookUs) => {
    expect(startTookUs(one)).toBe(tookUs);
  });

  it('has happened once the unit left its inactive state', () => {
    expect(hasStarted(unit('a.service', 3, 1))).toBe(true);
    expect(hasStarted(unit('a.service', 0, 1))).toBe(false);
  });
});

describe('a unit on another clock', () => {
  it('has all its stamps moved but those that mean never', () => {
    expect(moveUnit(unit('a.service', 3, 1), (us) => us + 5)).toMatchObject({
      activatingUs: 3e6 + 5,
      activatedUs: 4e6 + 5,
      deactivatingUs: 0,
      deactivatedUs: 0,
    });
  });
});
