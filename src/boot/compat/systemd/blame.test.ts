import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderBlame, slowestUnits, unitsNotRun } from './blame.ts';
import { anyBoot, boot, unit } from './testing.ts';

test('sorts units by duration, longest first, and ties by name', () => {
  const record = boot([
    unit('b.service', 3, 33),
    unit('a.service', 3, 33),
    unit('slow.service', 3, 123),
    unit('none.target', 9, 9),
  ]);
  expect(renderBlame(slowestUnits(record))).toBe('2min slow.service\n 30s a.service\n 30s b.service\n');
});

test('edge case 24: blames a failed unit for the time until it failed, with a label', () => {
  const record = boot([unit('broken.service', 3, 0, { deactivatedUs: 9e6 })]);
  expect(renderBlame(slowestUnits(record))).toBe('6s broken.service [failed]\n');
});

test('does not treat a oneshot that ended without becoming active as failed', () => {
  const record = boot([unit('once.service', 3, 0, { deactivatedUs: 9e6, activeState: 'inactive' })]);
  expect(slowestUnits(record)[0]).toMatchObject({ state: 'ran', labels: [] });
});

test('edge case 25: blames a unit restarted after boot, with a label', () => {
  const record = boot([unit('agent.service', 90, 95, { deactivatedUs: 89e6 }), unit('timer-work.service', 90, 91)]);
  expect(renderBlame(slowestUnits(record))).toBe(
    '5s agent.service [restarted after boot]\n1s timer-work.service [started after boot]\n',
  );
});

test('edge case 37: a Type=simple service has no start-up time', () => {
  expect(slowestUnits(boot([unit('slow.service', 3, 3, { serviceType: 'simple' })]))).toEqual([]);
});

test('edge case 23: gives the reason why a unit did not run', () => {
  const record = boot([
    unit('idle.service', 0, 0),
    unit('skipped.service', 0, 0, { conditionFailed: true }),
    unit('ghost.service', 0, 0, { loadState: 'not-found' }),
  ]);
  expect(unitsNotRun(record).map(({ state }) => state)).toEqual(['never-started', 'condition-failed', 'not-found']);
});

test('lists every unit of any boot at most once, in descending order', () => {
  fc.assert(
    fc.property(anyBoot, (record) => {
      const units = slowestUnits(record);
      for (const [i, { tookUs }] of units.entries()) {
        expect(tookUs).toBeGreaterThan(0);
        if (i > 0) expect(tookUs).toBeLessThanOrEqual(units[i - 1]!.tookUs);
      }
      expect(new Set(units.map(({ unit: name }) => name)).size).toBe(units.length);
    }),
  );
});
