import { describe, expect, it } from 'vitest';
import { definitionId, group, scaleSet, versionId } from './scale-set.testing.ts';
import { type AzureScaleSet, imageOf, poolOf } from './scale-set.ts';

const hardware = { generation: 'V2', architecture: 'x64' } as const;
const pool = (set: AzureScaleSet) => poolOf(set, { id: set.id, name: set.name }, hardware);
const model = (profile: object) => pool(scaleSet({ profile })).model;

const none = {
  id: null,
  publisher: null,
  offer: null,
  sku: null,
  version: null,
  exactVersion: null,
  sharedGalleryImageId: null,
  communityGalleryImageId: null,
};

describe('a scale set', () => {
  it('is converted to a pool', () => {
    expect(pool(scaleSet())).toEqual({
      ref: { id: `${group}/virtualMachineScaleSets/pool`, name: 'pool' },
      etag: '"7"',
      region: 'westeurope',
      state: 'ready',
      hasInstanceRepair: false,
      capacity: 3,
      tags: { team: 'a' },
      model: {
        image: { kind: 'marketplace', publisher: 'Canonical', offer: 'ubuntu', sku: 'server', version: 'latest' },
        os: 'linux',
        osState: 'generalized',
        bootstrap: 'unknown',
        extensions: [
          { name: 'bootstrap', publisher: 'P', type: 'bootstrap', after: [] },
          { name: 'health', publisher: 'P', type: 'health', after: ['bootstrap'] },
        ],
        generation: 'V2',
        architecture: 'x64',
        securityType: 'Standard',
        hasEphemeralDisk: false,
        isSpot: false,
        upgrades: 'manual',
        hasAutomaticOsUpgrade: false,
        osDiskGb: 30,
      },
    });
  });

  it.each([
    ['Succeeded', 'ready'],
    ['Updating', 'updating'],
    ['Deleting', 'updating'],
    ['Failed', 'failed'],
    ['Canceled', 'failed'],
  ])('in state %s is %s', (provisioningState, state) => {
    expect(pool(scaleSet({ properties: { provisioningState } })).state).toBe(state);
  });

  it('reports which other controller manages it', () => {
    const managed = (top: object) => pool(scaleSet({ top })).managedBy;
    expect(managed({ tags: { 'aks-managed-poolName': 'np' } })).toBe('aks');
    expect(
      managed({
        id: `/subscriptions/s/resourceGroups/MC_g_c_we/providers/Microsoft.Compute/virtualMachineScaleSets/p`,
      }),
    ).toBe('aks');
    expect(managed({ tags: { 'sigs.k8s.io_cluster-api-provider-azure_cluster_c': 'owned' } })).toBe('capz');
    expect(managed({ tags: { creationSource: 'aksengine-demo', poolName: 'p' } })).toBeUndefined();
  });

  it('reports the settings that rule out a pool or change the plan', () => {
    expect(model({ priority: 'Spot' }).isSpot).toBe(true);
    expect(model({ securityProfile: { securityType: 'TrustedLaunch' } }).securityType).toBe('TrustedLaunch');
    expect(
      model({ storageProfile: { osDisk: { osType: 'Linux', diffDiskSettings: { option: 'Local' } } } })
        .hasEphemeralDisk,
    ).toBe(true);
    expect(model({ storageProfile: { osDisk: { osType: 'Windows' } } }).os).toBe('windows');
    expect(model({ osProfile: undefined })).toMatchObject({ osState: 'specialized', bootstrap: 'none' });
    const upgradePolicy = { mode: 'Rolling', automaticOSUpgradePolicy: { enableAutomaticOSUpgrade: true } };
    const automaticRepairsPolicy = { enabled: true };
    const other = pool(scaleSet({ properties: { upgradePolicy, automaticRepairsPolicy } }));
    expect(other).toMatchObject({
      hasInstanceRepair: true,
      model: { upgrades: 'rolling', hasAutomaticOsUpgrade: true },
    });
  });

  it('has bootstrap none only if its tag says so', () => {
    expect(pool(scaleSet({ top: { tags: { 'headstart-bootstrap': 'none' } } })).model.bootstrap).toBe('none');
    expect(pool(scaleSet({ top: { tags: { 'headstart-bootstrap': 'custom-data' } } })).model.bootstrap).toBe('unknown');
  });

  it.each([
    ['Standard_D4s_v5', undefined, {}, undefined, undefined],
    ['Standard_D4s_v5', 'SCSI', {}, 'SCSI', undefined],
    ['Standard_E4bds_v5', 'NVMe', {}, 'NVMe', { DiskControllerTypes: 'SCSI, NVMe' }],
    ['Standard_D4s_v6', undefined, {}, 'unknown', undefined],
    ['Standard_D4s_v10', undefined, {}, 'unknown', undefined],
    ['Standard_D4s_v6', undefined, { controller: 'NVMe' }, 'NVMe', { DiskControllerTypes: 'SCSI, NVMe' }],
    ['Standard_D4as_v6', undefined, { controller: 'SCSI' }, 'SCSI', undefined],
    ['Standard_D4s_v6', undefined, { imageFeatures: { DiskControllerTypes: 'x' } }, 'NVMe', expect.anything()],
    ['Standard_D4s_v5', 'SCSI', { imageFeatures: { A: 'True' } }, 'SCSI', { A: 'True' }],
  ] as const)('of size %s with controller %s and %j has %s', (size, type, seen, controller, features) => {
    const storageProfile = { imageReference: { id: versionId }, osDisk: { osType: 'Linux' }, diskControllerType: type };
    const set = scaleSet({ profile: { storageProfile }, top: { sku: { name: size, capacity: 1 } } });
    const { model: read } = poolOf(set, { id: set.id, name: set.name }, { ...hardware, ...seen });
    expect([read.diskController, read.imageFeatures]).toEqual([controller, features]);
  });

  it('of a flexible set without a profile has no image', () => {
    const set = scaleSet({ properties: { orchestrationMode: 'Flexible', virtualMachineProfile: undefined } });
    expect(pool(set).model.image).toEqual({ kind: 'other', id: '' });
  });

  it('reads keys, data disks, edge zones and confidential disks', () => {
    const storage = (osDisk: object, dataDisks: object[] = []) => ({
      storageProfile: { imageReference: { id: versionId }, osDisk, dataDisks },
    });
    const key = { managedDisk: { diskEncryptionSet: { id: '/des' } } };
    expect(model(storage(key, [{ lun: 0, createOption: 'Empty' }]))).toMatchObject({ diskEncryptionSetId: '/des' });
    expect(model(storage(key, [{ lun: 0, createOption: 'Empty' }]))).not.toHaveProperty('hasDataDisksFromImage');
    expect(model(storage({}, [{ lun: 0, createOption: 'FromImage' }]))).toMatchObject({ hasDataDisksFromImage: true });
    const confidential = { managedDisk: { securityProfile: { securityEncryptionType: 'VMGuestStateOnly' } } };
    expect(model(storage(confidential)).securityType).toBe('ConfidentialVM');
    expect(pool(scaleSet({ top: { extendedLocation: { name: 'edge' } } })).model.edgeZone).toBe('edge');
    expect(model({})).not.toHaveProperty('edgeZone');
  });

  it.each([
    [{ id: versionId }, { kind: 'version', id: versionId }],
    [{ id: definitionId }, { kind: 'definition', id: definitionId }],
    [{ id: `${group}/images/mine` }, { kind: 'managed', id: `${group}/images/mine` }],
    [
      { communityGalleryImageId: '/CommunityGalleries/x/Images/y' },
      { kind: 'community', id: '/CommunityGalleries/x/Images/y' },
    ],
    [{ sharedGalleryImageId: '/SharedGalleries/x/Images/y' }, { kind: 'shared', id: '/SharedGalleries/x/Images/y' }],
    [{ id: '/somewhere/else' }, { kind: 'other', id: '/somewhere/else' }],
    [undefined, { kind: 'other', id: '' }],
  ])('refers to an image: %j', (reference, expected) => {
    expect(imageOf(reference && { ...none, ...reference })).toEqual(expected);
  });
});
