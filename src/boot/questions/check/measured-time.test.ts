import { describe, expect, it } from 'vitest';
import { bootRecord, managerTimes, unit } from '../../testing.ts';
import { measurePhases, measureUnit, sinceStart, spansById, verdictOf } from './measured-time.ts';

describe('verdictOf', () => {
  it.each([
    [{ us: 5 }, 5, 'ok'],
    [{ us: 6 }, 5, 'exceeded'],
    [{ us: 5, isLowerBound: true }, 5, 'unknown'],
    [{ us: 6, isLowerBound: true }, 5, 'exceeded'],
  ] as const)('%j against %d is %s', (seen, limitUs, verdict) => expect(verdictOf(seen, limitUs)).toBe(verdict));
});

it('counts from kernel start, and marks a record that begins later', () => {
  expect(sinceStart(bootRecord(), 7, 'until x')).toEqual({ us: 7, detail: 'until x' });
  expect(sinceStart(bootRecord({ clock: { zero: 'first-event' } }), 7)).toMatchObject({ us: 7, isLowerBound: true });
});

it('measures a unit of which only the duration is known', () => {
  const listed = unit('a.service', 0, 3, [], { isStartUnknown: true });
  const record = bootRecord({ units: [listed] });
  expect(measureUnit(listed, spansById(record))).toEqual({ us: 3e6 });
});

it('marks the userspace phase of a boot that was recorded before startup finished', () => {
  const units = [unit('a.service', 3, 4)];
  const phaseOf = (finishUs: number) =>
    measurePhases(bootRecord({ units, manager: managerTimes({ finishUs }) })).get('userspace');
  expect(phaseOf(9e6)).toEqual({ us: 7e6 });
  expect(phaseOf(0)).toMatchObject({ us: 5e6, isLowerBound: true });
});
