import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderBlame, slowestUnits, unitsNotRun } from './blame.ts';
import { anyBoot, boot, unit } from './testing.ts';

test('longest first, by number; ties by name', () => {
  const record = boot([
    unit('b.service', 3, 33),
    unit('a.service', 3, 33),
    unit('slow.service', 3, 123),
    unit('none.target', 9, 9),
  ]);
  expect(renderBlame(slowestUnits(record))).toBe('2min slow.service\n 30s a.service\n 30s b.service\n');
});

test('edge case 24: a unit that failed is blamed until it failed, and labelled', () => {
  const record = boot([unit('broken.service', 3, 0, { deactivatedUs: 9e6 })]);
  expect(renderBlame(slowestUnits(record))).toBe('6s broken.service [failed]\n');
});

test('a oneshot that ran to its end without becoming active has not failed', () => {
  const record = boot([unit('once.service', 3, 0, { deactivatedUs: 9e6, activeState: 'inactive' })]);
  expect(slowestUnits(record)[0]).toMatchObject({ state: 'ran', labels: [] });
});

test('edge case 25: a unit restarted after boot is blamed, and labelled', () => {
  const record = boot([unit('agent.service', 90, 95, { deactivatedUs: 89e6 }), unit('timer-work.service', 90, 91)]);
  expect(renderBlame(slowestUnits(record))).toBe(
    '5s agent.service [restarted after boot]\n1s timer-work.service [started after boot]\n',
  );
});

test('edge case 37: a Type=simple service has no start-up time to blame', () => {
  expect(slowestUnits(boot([unit('slow.service', 3, 3, { serviceType: 'simple' })]))).toEqual([]);
});

test('edge case 23: units that did not run are told apart by why', () => {
  const record = boot([
    unit('idle.service', 0, 0),
    unit('skipped.service', 0, 0, { conditionFailed: true }),
    unit('ghost.service', 0, 0, { loadState: 'not-found' }),
  ]);
  expect(unitsNotRun(record).map(({ state }) => state)).toEqual(['never-started', 'condition-failed', 'not-found']);
});

test('blame is total on any boot, in falling order, and blames every unit at most once', () => {
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
