import { describe, expect, test } from 'vitest';
import { hostOf, managerOf, parseNames, parseStamp, unitOf } from './systemctl-block.ts';

const stamp = (values: Map<string, string>) => (key: string) => Number(values.get(key) ?? 0);
const unit = (fields: Record<string, string>) => {
  const values = new Map(Object.entries(fields));
  return unitOf(values, stamp(values));
};

test('edge case 31: names are read quoted with doubled backslashes and as they are', () => {
  expect(parseNames('-.slice "run-a\\\\x2db.mount" dev-c\\x2dd.device')).toEqual([
    '-.slice',
    'run-a\\x2db.mount',
    'dev-c\\x2dd.device',
  ]);
});

test('what is no unit name is not taken for one', () => {
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
])('a stamp of %j is %s', (text, us) => {
  expect(parseStamp(text)).toBe(us);
});

describe('a block of a unit', () => {
  test('has only what it says: empty values and a result of success are left out', () => {
    expect(unit({ Id: 'a.service', Names: 'a.service', Description: '', Result: 'success' })).toEqual({
      name: 'a.service',
      activatingUs: 0,
      activatedUs: 0,
      deactivatingUs: 0,
      deactivatedUs: 0,
      after: [],
    });
  });

  test('keeps a list that is there and empty apart from one that is not there', () => {
    const { wants, requires } = unit({ Id: 'a.service', Wants: '' });
    expect([wants, requires]).toEqual([[], undefined]);
  });

  test('has a failed condition only where conditions were looked at', () => {
    const checked = { Id: 'a.service', ConditionResult: 'no', ConditionTimestampMonotonic: '7' };
    expect(unit(checked).conditionFailed).toBe(true);
    expect(unit({ ...checked, ConditionTimestampMonotonic: '0' })).not.toHaveProperty('conditionFailed');
  });
});

test('the block of the manager gives its stamps, soft reboots and the host it runs on', () => {
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
