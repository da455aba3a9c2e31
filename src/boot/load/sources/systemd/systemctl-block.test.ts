import { describe, expect, test } from 'vitest';
import { hostOf, managerOf, parseNames, parseStamp, unitOf } from './systemctl-block.ts';

const stamp = (values: Map<string, string>) => (key: string) => Number(values.get(key) ?? 0);
const unit = (fields: Record<string, string>) => {
  const values = new Map(Object.entries(fields));
  return unitOf(values, stamp(values));
};

test('edge case 31: parseNames reads names quoted with doubled backslashes and unquoted', () => {
  expect(parseNames('-.slice "run-a\\\\x2db.mount" dev-c\\x2dd.device')).toEqual([
    '-.slice',
    'run-a\\x2db.mount',
    'dev-c\\x2dd.device',
  ]);
});

test('parseNames skips words that are not unit names', () => {
  expect(parseNames('')).toEqual([]);
  expect(parseNames('a.service  b.target')).toEqual(['a.service', 'b.target']);
  expect(parseNames(`a.service ${'x'.repeat(301)} b\u001b[31m.service`)).toEqual(['a.service']);
  expect(parseNames('"a\\nb c" d.service')).toEqual(['d.service']);
});

test.each([
  ['', 0],
  ['n/a', 0],
  ['18446744073709551615', 0],
  ['5000000', 5e6],
  ['-5', undefined],
  ['5s', undefined],
  ['99999999999999999999', undefined],
])('parseStamp reads %j as %s', (text, us) => {
  expect(parseStamp(text)).toBe(us);
});

describe('unitOf', () => {
  test('omits empty values and a result of success', () => {
    expect(unit({ Id: 'a.service', Names: 'a.service', Description: '', Result: 'success' })).toEqual({
      name: 'a.service',
      activatingUs: 0,
      activatedUs: 0,
      deactivatingUs: 0,
      deactivatedUs: 0,
      after: [],
    });
  });

  test('distinguishes an empty list from a missing one', () => {
    const { wants, requires } = unit({ Id: 'a.service', Wants: '' });
    expect([wants, requires]).toEqual([[], undefined]);
  });

  test('reads what the unit used, and nothing that was not measured', () => {
    const all = { CPUUsageNSec: '411999500', IOReadBytes: '4096', IOWriteBytes: '0', MemoryPeak: '1048576' };
    expect(unit({ Id: 'a.service', ...all }).used).toEqual({
      ...{ cpuUs: 412_000, readBytes: 4096, writtenBytes: 0, peakMemoryBytes: 1_048_576 },
    });
    for (const text of ['[not set]', '18446744073709551615', '', 'infinity', '-1']) {
      expect(unit({ Id: 'a.service', CPUUsageNSec: text, IOReadBytes: text })).not.toHaveProperty('used');
    }
  });

  test('reads how long the job of a device may wait, if there is a limit', () => {
    const limit = (fields: Record<string, string>) => unit({ Id: 'dev-a.device', ...fields }).jobTimeoutUs;
    expect(limit({ JobRunningTimeoutUSec: '1min 30s', JobTimeoutUSec: 'infinity' })).toBe(90e6);
    expect(limit({ JobTimeoutUSec: '30s' })).toBe(30e6);
    expect(limit({ JobRunningTimeoutUSec: 'infinity', JobTimeoutUSec: '0' })).toBeUndefined();
    expect(unit({ Id: 'a.service', JobRunningTimeoutUSec: '30s' })).not.toHaveProperty('jobTimeoutUs');
  });

  test('sets conditionFailed only if the conditions were checked', () => {
    const checked = { Id: 'a.service', ConditionResult: 'no', ConditionTimestampMonotonic: '7' };
    expect(unit(checked).conditionFailed).toBe(true);
    expect(unit({ ...checked, ConditionTimestampMonotonic: '0' })).not.toHaveProperty('conditionFailed');
  });
});

test('the block of the manager gives its stamps, soft reboots and host facts', () => {
  const values = new Map([
    ['UserspaceTimestampMonotonic', '2000000'],
    ['InitRDTimestampMonotonic', '1000000'],
    ['SoftRebootsCount', '2'],
    ['Version', '252.39'],
    ['Virtualization', ''],
    ['Architecture', 'x86-64'],
  ]);
  expect(managerOf(values, stamp(values))).toMatchObject({
    userspaceUs: 2e6,
    initrdUs: 1e6,
    softRebootsCount: 2,
    finishUs: 0,
  });
  expect(managerOf(new Map(), () => 0).softRebootsCount).toBe(0);
  expect(hostOf(values)).toEqual({ systemdVersion: '252.39', architecture: 'x86-64' });
});

test('reads what triggers a unit, and leaves out the empty lists of all other units', () => {
  const values = new Map([
    ['Id', 'late.service'],
    ['TriggeredBy', 'late.timer late.path'],
    ['Triggers', ''],
  ]);
  const unit = unitOf(values, stamp(values));
  expect(unit.triggeredBy).toEqual(['late.timer', 'late.path']);
  expect(unit).not.toHaveProperty('triggers');
});

test('managerOf reads the shutdown before this boot under its name since systemd 262 and under the older one', () => {
  const managerWith = (lines: Record<string, string>) => {
    const values = new Map(Object.entries(lines));
    return managerOf(values, stamp(values));
  };
  expect(
    managerWith({
      ShutdownStartTimestampMonotonic: '0',
      PreviousShutdownStartTimestampMonotonic: '100',
      PreviousShutdownFinishTimestampMonotonic: '200',
      PreviousShutdownLateStartTimestampMonotonic: '300',
      PreviousShutdownLateFinishTimestampMonotonic: '400',
    }),
  ).toMatchObject({
    shutdownStartUs: 0,
    previousShutdown: { startUs: 100, finishUs: 200, lateStartUs: 300, lateFinishUs: 400 },
  });
  const older = managerWith({ ShutdownStartTimestampMonotonic: '90' });
  expect(older.shutdownStartUs).toBe(90);
  expect(older).not.toHaveProperty('previousShutdown');
});
