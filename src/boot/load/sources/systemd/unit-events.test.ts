import { describe, expect, test } from 'vitest';
import { type UnitEvent, unitsOf } from './unit-events.ts';

type Step = [atS: number, what: UnitEvent['what'], unit?: string, result?: string];
const fromEvents = (steps: Step[], phases = { userspaceUs: 0, finishUs: 0 }) =>
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
  const { activatingUs, activatedUs, deactivatingUs, deactivatedUs } = fromEvents(steps, phases).units[0]!;
  return [activatingUs, activatedUs, deactivatingUs, deactivatedUs].map((us) => us / 1e6);
};

describe('unitsOf', () => {
  test.each<[string, Step[], number[]]>([
    [
      'starts and finishes',
      [
        [5, 'began'],
        [7, 'done'],
      ],
      [5, 7, 0, 0],
    ],
    ['has only a finish message', [[7, 'done']], [7, 7, 0, 0]],
    [
      'has messages in the wrong order',
      [
        [7, 'done'],
        [5, 'began'],
      ],
      [5, 7, 0, 0],
    ],
    [
      'starts, stops and starts again',
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
      'fails first and starts later',
      [
        [5, 'began'],
        [6, 'failed'],
        [8, 'began'],
        [9, 'done'],
      ],
      [8, 9, 0, 0],
    ],
    [
      'is stopped before it became active',
      [
        [5, 'began'],
        [6, 'stopping'],
        [7, 'stopped'],
      ],
      [5, 0, 0, 0],
    ],
  ])('gives the stamps of a unit that %s', (_, steps, expected) => {
    expect(stamps(steps)).toEqual(expected);
  });

  test('uses the start in the real root, not the one in the initrd', () => {
    const both: Step[] = [
      [2, 'began'],
      [3, 'done'],
      [9, 'done'],
    ];
    expect(stamps(both, { userspaceUs: 8e6, finishUs: 0 })).toEqual([9, 9, 0, 0]);
    expect(stamps(both, { userspaceUs: 0, finishUs: 0 })).toEqual([2, 3, 0, 0]);
  });

  test('keeps the reason of a failure, unless the unit starts later', () => {
    expect(
      fromEvents([
        [5, 'began'],
        [6, 'failed', 'a.service', 'timeout'],
      ]).units[0],
    ).toMatchObject({
      result: 'timeout',
      activeState: 'failed',
      deactivatedUs: 6e6,
    });
    expect(
      fromEvents([
        [5, 'began'],
        [6, 'failed'],
        [8, 'done'],
      ]).units[0],
    ).not.toHaveProperty('result');
    expect(
      fromEvents([
        [5, 'done'],
        [6, 'failed'],
      ]).units[0],
    ).not.toHaveProperty('result');
  });

  test('marks a skipped unit as conditionFailed, unless it ran before', () => {
    expect(fromEvents([[5, 'skipped']]).units[0]).toMatchObject({ conditionFailed: true, activatingUs: 0 });
    expect(
      fromEvents([
        [5, 'done'],
        [6, 'skipped'],
      ]).units[0],
    ).not.toHaveProperty('conditionFailed');
  });

  test('omits and counts a unit that first starts hours after the boot', () => {
    const phases = { userspaceUs: 0, finishUs: 20e6 };
    const { units, leftOut } = fromEvents(
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

describe('unitsOf for a device', () => {
  test('gives a wait from "expecting" until the device appears', () => {
    const { units, deviceWaits } = fromEvents([
      [3, 'began', 'd.device'],
      [3.5, 'began', 'd.device'],
      [9, 'done', 'd.device'],
    ]);
    expect(deviceWaits).toMatchObject([{ startUs: 3e6, endUs: 9e6, wait: 'the device had not appeared' }]);
    expect(units[0]).toMatchObject({ activatingUs: 9e6, activatedUs: 9e6 });
  });

  test('gives a failed wait if the device never appears', () => {
    const { deviceWaits } = fromEvents([
      [3, 'began', 'd.device'],
      [93, 'failed', 'd.device', 'timeout'],
    ]);
    expect(deviceWaits).toMatchObject([{ endUs: 93e6, wait: 'the device never appeared', result: 'fail' }]);
    expect(deviceWaits[0]?.failure).toBe('timed out after 1min 30s');
  });

  test('gives the failed job of a unit that never began, once, and none for the device itself', () => {
    const { failedJobs } = fromEvents([
      [3, 'began', 'd.device'],
      [93, 'failed', 'd.device', 'timeout'],
      [93.1, 'failed', 'd.mount', 'dependency'],
      [93.2, 'failed', 'd.mount', 'dependency'],
      [93.3, 'failed', 'd.device', 'timeout'],
    ]);
    expect(failedJobs).toMatchObject([{ id: 'job:d.mount', startUs: 93.1e6, failure: 'a dependency failed' }]);
  });

  test('gives a failed job without a duration if the log does not show when the wait began', () => {
    const { failedJobs, deviceWaits } = fromEvents([[93, 'failed', 'd.device', 'timeout']]);
    expect(deviceWaits).toEqual([]);
    expect(failedJobs).toMatchObject([{ startUs: 93e6, endUs: 93e6, failure: 'timed out' }]);
  });

  test('gives no wait without "expecting"', () => {
    expect(fromEvents([[9, 'done', 'd.device']]).deviceWaits).toEqual([]);
  });
});
