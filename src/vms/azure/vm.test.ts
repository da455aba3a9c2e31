import { describe, expect, it } from 'vitest';
import { diskFactsOf } from './disks.ts';
import { definitionId, versionId } from './scale-set.testing.ts';
import { instanceOf } from './vm.ts';

describe('instanceOf', () => {
  const ref = { pool: { id: 'p', name: 'pool' }, id: 'i' };
  const facts = { isSpot: false, member: undefined };

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
    expect(instanceOf(vm, ref, facts).power).toBe(power);
  });

  it('reports the version that a definition resolved to when the instance was made', () => {
    const vm = { location: 'we', storageProfile: { imageReference: { id: definitionId, exactVersion: '2026.11.15' } } };
    expect(instanceOf(vm, ref, facts).image).toEqual({ kind: 'version', id: versionId });
  });

  it('has no disk to copy when the disk is ephemeral, and has a size even when deallocated', () => {
    expect(
      instanceOf({ location: 'we', storageProfile: { osDisk: { createOption: 'FromImage' } } }, ref, facts).osDisk,
    ).toBeUndefined();
    const osDisk = { createOption: 'FromImage', managedDisk: { id: 'd' } } as const;
    expect(
      instanceOf({ location: 'we', storageProfile: { osDisk } }, ref, {
        ...facts,
        disk: diskFactsOf({ location: 'we', diskSizeGB: 30 }),
      }).osDisk,
    ).toMatchObject({
      id: 'd',
      sizeGb: 30,
    });
  });
});
