import type { Disk } from '@azure/arm-compute';
import { describe, expect, it } from 'vitest';
import { wire } from './connect/testing.ts';
import { diskFactsOf, knownDisk, osDiskFacts, readDisk } from './disks.ts';
import { group } from './scale-set.testing.ts';

const facts = (disk: Partial<Disk>) => diskFactsOf({ location: 'we', ...disk });

describe('the facts of a disk', () => {
  it('are unknown where an old disk does not say them', () => {
    expect(facts({})).toEqual({
      ...{ sizeGb: undefined, generation: undefined, architecture: undefined },
      ...{ securityType: 'Standard', isEncryptedInGuest: false, imageFeatures: {} },
    });
    expect(facts({ hyperVGeneration: 'V3' }).generation).toBeUndefined();
  });

  it.each([
    ['TrustedLaunch', 'TrustedLaunch'],
    ['ConfidentialVM_DiskEncryptedWithPlatformKey', 'ConfidentialVM'],
    ['ConfidentialVM_NonPersistedTPM', 'ConfidentialVM'],
    ['Standard', 'Standard'],
  ])('call the security type %s %s', (securityType, expected) => {
    expect(facts({ securityProfile: { securityType } }).securityType).toBe(expected);
  });

  it("have a customer's key, with its type, and no key of the platform", () => {
    const type = 'EncryptionAtRestWithPlatformAndCustomerKeys';
    expect(facts({ encryption: { type, diskEncryptionSetId: '/des' } }).encryption).toEqual({
      type,
      diskEncryptionSetId: '/des',
    });
    expect(facts({ encryption: { diskEncryptionSetId: '/des' } }).encryption?.type).toMatch(/CustomerKey$/);
    expect(facts({ encryption: { type: 'EncryptionAtRestWithPlatformKey' } }).encryption).toBeUndefined();
  });

  it.each<[Partial<Disk>, object]>([
    [{ supportedCapabilities: { diskControllerTypes: 'SCSI' } }, {}],
    [{ supportedCapabilities: { diskControllerTypes: 'NVME, SCSI' } }, { DiskControllerTypes: 'SCSI, NVMe' }],
    [{ supportedCapabilities: { acceleratedNetwork: true } }, { IsAcceleratedNetworkSupported: 'True' }],
    [{ supportedCapabilities: { acceleratedNetwork: false }, supportsHibernation: false }, {}],
    [{ supportsHibernation: true }, { IsHibernateSupported: 'True' }],
  ])('declare what the image supports: %j', (disk, expected) => {
    expect(facts(disk).imageFeatures).toEqual(expected);
  });

  it('of an OS disk leave out what is unknown', () => {
    expect(osDiskFacts(facts({}))).toEqual({ securityType: 'Standard', isEncryptedInGuest: false });
    const disk = { hyperVGeneration: 'V1', encryption: { diskEncryptionSetId: '/des' } };
    expect(osDiskFacts(facts({ ...disk, encryptionSettingsCollection: { enabled: true } }))).toEqual({
      ...{ generation: 'V1', diskEncryptionSetId: '/des', securityType: 'Standard', isEncryptedInGuest: true },
    });
  });
});

describe('a disk', () => {
  const id = `${group}/disks/d`;

  it('is read once, whatever the case of its id', async () => {
    const { call, sent } = await wire({ status: 200, body: { location: 'we', properties: { diskSizeGB: 30 } } });
    const cache = new Map();
    for (const one of [id, id.toUpperCase()]) expect((await knownDisk(cache, call, one))?.sizeGb).toBe(30);
    expect(sent).toHaveLength(1);
  });

  it('that does not exist, or is no managed disk, has no facts', async () => {
    const missing = { status: 404, body: { error: { code: 'ResourceNotFound', message: 'gone' } } };
    const { call } = await wire(missing);
    expect(await readDisk(call, id)).toBeUndefined();
    expect(await readDisk(call, 'https://account/vhds/x.vhd')).toBeUndefined();
  });
});
