import { describe, expect, it } from 'vitest';
import { describeLock, lockOf, locksOn, type ManagementLock } from './locks.ts';

const group = '/subscriptions/s/resourceGroups/Demo';
const set = `${group}/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;
const idOf = (scope: string, name = 'keep') => `${scope}/providers/Microsoft.Authorization/locks/${name}`;
const lock = (scope: string): ManagementLock => ({ name: 'keep', level: 'ReadOnly', scope });

describe('a lock', () => {
  it('is read from its id and level', () => {
    expect(lockOf(idOf(group), 'ReadOnly')).toEqual({ name: 'keep', level: 'ReadOnly', scope: group });
    expect(lockOf(idOf(set, 'a b'), 'cannotdelete')).toEqual({ name: 'a b', level: 'CanNotDelete', scope: set });
    expect(lockOf(idOf(group), 'NotSpecified')).toBeUndefined();
    expect(lockOf('/nonsense', 'ReadOnly')).toBeUndefined();
  });

  it.each([
    ['/subscriptions/s', true],
    [group.toLowerCase(), true],
    [set, true],
    [`${set}2`, false],
    [`${group}-other`, false],
    [`${set}/virtualMachines/0`, false],
  ])('on %s holds for the scale set: %s', (scope, expected) => {
    expect(locksOn(set, [lock(scope)])).toHaveLength(expected ? 1 : 0);
  });

  it.each([
    ['/subscriptions/s', 'lock "keep" (ReadOnly) on the subscription'],
    [group, 'lock "keep" (ReadOnly) on resource group Demo'],
    [set, 'lock "keep" (ReadOnly) on virtualMachineScaleSets pool'],
  ])('on %s is described as %s', (scope, text) => {
    expect(describeLock(lock(scope))).toBe(text);
  });
});
