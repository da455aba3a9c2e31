import { describe, expect, it } from 'vitest';
import { definitionId, versionId } from './scale-set.testing.ts';
import { isInService, listedOf } from './vm.ts';

describe('listedOf', () => {
  const ref = { pool: { id: 'p', name: 'pool' }, id: 'i' };

  it.each([
    ['PowerState/running', 'running'],
    ['PowerState/Stopped', 'stopped'],
    ['PowerState/deallocating', 'stopping'],
    ['PowerState/deallocated', 'deallocated'],
    ['PowerState/starting', 'starting'],
    ['PowerState/hibernated', 'unknown'],
    ['ProvisioningState/succeeded', 'unknown'],
  ])('%s is %s', (code, power) => {
    const vm = { location: 'we', instanceView: { statuses: [{ code: 'ProvisioningState/succeeded' }, { code }] } };
    expect(listedOf(vm, ref, false).power).toBe(power);
  });

  it('reports the version that a definition resolved to when the instance was made', () => {
    const vm = { location: 'we', storageProfile: { imageReference: { id: definitionId, exactVersion: '2026.11.15' } } };
    expect(listedOf(vm, ref, false).image).toEqual({ kind: 'version', id: versionId });
  });

  it('has no disk to copy when the disk is ephemeral, and a disk of unknown size when deallocated', () => {
    expect(
      listedOf({ location: 'we', storageProfile: { osDisk: { createOption: 'FromImage' } } }, ref, false).osDisk,
    ).toBeUndefined();
    const osDisk = { createOption: 'FromImage', managedDisk: { id: 'd' } } as const;
    expect(listedOf({ location: 'we', storageProfile: { osDisk } }, ref, false).osDisk).toEqual({
      id: 'd',
    });
  });
});

it.each([
  ['that no standby pool made', {}, true],
  ['without a view', undefined, true],
  ['that has left its standby pool', { isVMInStandbyPool: false }, true],
  ['that waits in one', { isVMInStandbyPool: true }, false],
])('a VM %s is in service: %s', (_, instanceView, expected) => {
  expect(isInService({ ...(instanceView && { instanceView }) })).toBe(expected);
});
