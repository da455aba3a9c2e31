import { describe, expect, test } from 'vitest';
import { type UnitEvent, unitsOf } from './unit-events.ts';

type Step = [atS: number, what: UnitEvent['what'], unit?: string, result?: string];
const seen = (steps: Step[], phases = { userspaceUs: 0, finishUs: 0 }) =>
  unitsOf(
    steps.map(([atS, what, unit = 'a.service', result]) => ({
      atUs: atS * 1e6,
      unit,
      what,
      ...(result !== undefined && { result }),
    })),
    phases,
  );
const stamps = (steps: Step[], phases?: { userspaceUs: number; finishUs: number }) => {
  const { activatingUs, activatedUs, deactivatingUs, deactivatedUs } = seen(steps, phases).units[0]!;
  return [activatingUs, activatedUs, deactivatingUs, deactivatedUs].map((us) => us / 1e6);
};

describe('the start of a unit', () => {
  test.each<[string, Step[], number[]]>([
    [
      'began and is done',
      [
        [5, 'began'],
        [7, 'done'],
      ],
      [5, 7, 0, 0],
    ],
    ['is only known to be done', [[7, 'done']], [7, 7, 0, 0]],
    [
      'is told in the wrong order',
      [
        [7, 'done'],
        [5, 'began'],
      ],
      [5, 7, 0, 0],
    ],
    [
      'came up, was stopped and came up again',
      [
        [5, 'began'],
        [7, 'done'],
        [8, 'stopping'],
        [9, 'stopped'],
        [20, 'began'],
        [21, 'done'],
      ],
      [5, 7, 8, 9],
    ],
    [
      'failed first and came up later',
      [
        [5, 'began'],
        [6, 'failed'],
        [8, 'began'],
        [9, 'done'],
      ],
      [8, 9, 0, 0],
    ],
    [
      'is stopped without having been up',
      [
        [5, 'began'],
        [6, 'stopping'],
        [7, 'stopped'],
      ],
      [5, 0, 0, 0],
    ],
  ])('that %s', (_, steps, expected) => {
    expect(stamps(steps)).toEqual(expected);
  });

  test('in the real root counts, not that in the initrd', () => {
    const both: Step[] = [
      [2, 'began'],
      [3, 'done'],
      [9, 'done'],
    ];
    expect(stamps(both, { userspaceUs: 8e6, finishUs: 0 })).toEqual([9, 9, 0, 0]);
    expect(stamps(both, { userspaceUs: 0, finishUs: 0 })).toEqual([2, 3, 0, 0]);
  });

  test('that failed has the reason, and loses it when it comes up after all', () => {
    expect(
      seen([
        [5, 'began'],
        [6, 'failed', 'a.service', 'timeout'],
      ]).units[0],
    ).toMatchObject({
      result: 'timeout',
      activeState: 'failed',
      deactivatedUs: 6e6,
    });
    expect(
      seen([
        [5, 'began'],
        [6, 'failed'],
        [8, 'done'],
      ]).units[0],
    ).not.toHaveProperty('result');
    expect(
      seen([
        [5, 'done'],
        [6, 'failed'],
      ]).units[0],
    ).not.toHaveProperty('result');
  });

  test('that was skipped is a failed condition, unless it ran before', () => {
    expect(seen([[5, 'skipped']]).units[0]).toMatchObject({ conditionFailed: true, activatingUs: 0 });
    expect(
      seen([
        [5, 'done'],
        [6, 'skipped'],
      ]).units[0],
    ).not.toHaveProperty('conditionFailed');
  });

  test('is left out and counted once when it first happens hours after the boot', () => {
    const phases = { userspaceUs: 0, finishUs: 20e6 };
    const { units, leftOut } = seen(
      [
        [5, 'done'],
        [9_000, 'began', 's.scope'],
        [9_001, 'done', 's.scope'],
        [9_002, 'stopped'],
      ],
      phases,
    );
    expect(units.map(({ name }) => name)).toEqual(['a.service']);
    expect(leftOut).toBe(1);
  });
});

describe('a device', () => {
  test('is waited for from when it is expected until it is there', () => {
    const { units, deviceWaits } = seen([
      [3, 'began', 'd.device'],
      [3.5, 'began', 'd.device'],
      [9, 'done', 'd.device'],
    ]);
    expect(deviceWaits).toMatchObject([{ startUs: 3e6, endUs: 9e6, wait: 'the device had not appeared' }]);
    expect(units[0]).toMatchObject({ activatingUs: 9e6, activatedUs: 9e6 });
  });

  test('that never appeared is a failed wait', () => {
    const { deviceWaits } = seen([
      [3, 'began', 'd.device'],
      [93, 'failed', 'd.device', 'timeout'],
    ]);
    expect(deviceWaits).toMatchObject([{ endUs: 93e6, wait: 'the device never appeared', result: 'fail' }]);
  });

  test('that was not expected is no wait', () => {
    expect(seen([[9, 'done', 'd.device']]).deviceWaits).toEqual([]);
  });
});
