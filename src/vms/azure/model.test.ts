// From Azure's JSON to our words and back, without a wire.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelChange } from '../publisher.ts';
import { patchOf } from './change-model.ts';
import { guessedHardware } from './pools.ts';
import { newestEligible, versionNamesIn } from './references.ts';
import { imageOf, poolOf, type ScaleSet, scaleSetSchema } from './scale-set.ts';
import { snapshotOf } from './snapshots.ts';
import { withChanges } from './tags.ts';
import { versionOf } from './versions.ts';
import { instanceOf } from './vm.ts';

const group = '/subscriptions/s/resourceGroups/demo/providers/Microsoft.Compute';
const definitionId = `${group}/galleries/SIG_demo/images/kamino-pool-prototype`;
const versionId = `${definitionId}/versions/2026.11.15`;
const hardware = { generation: 'V2', architecture: 'x64' } as const;

const extension = (name: string, after: string[] = []) => ({
  id: `${group}/x/${name}`,
  type: 'Microsoft.Compute/virtualMachineScaleSets/extensions',
  name,
  properties: {
    publisher: 'P',
    type: name,
    typeHandlerVersion: '1.0',
    settings: { port: 1 },
    provisioningState: 'Succeeded',
    suppressFailures: true,
    ...(after.length > 0 && { provisionAfterExtensions: after }),
  },
});

function scaleSet(change: { properties?: object; profile?: object; top?: object } = {}): ScaleSet {
  return scaleSetSchema.parse({
    id: `${group}/virtualMachineScaleSets/pool`,
    name: 'pool',
    location: 'westeurope',
    etag: '"7"',
    tags: { team: 'a' },
    sku: { name: 'Standard_D4s_v5', capacity: 3 },
    properties: {
      provisioningState: 'Succeeded',
      orchestrationMode: 'Uniform',
      upgradePolicy: { mode: 'Manual' },
      virtualMachineProfile: {
        osProfile: { computerNamePrefix: 'pool', adminUsername: 'azureuser' },
        storageProfile: {
          imageReference: { publisher: 'Canonical', offer: 'ubuntu', sku: 'server', version: 'latest' },
          osDisk: { osType: 'Linux', diskSizeGB: 30 },
        },
        extensionProfile: {
          extensions: [extension('bootstrap'), extension('health', ['bootstrap'])],
          extensionsTimeBudget: 'PT45M',
        },
        ...change.profile,
      },
      ...change.properties,
    },
    ...change.top,
  });
}
const pool = (set: ScaleSet) => poolOf(set, { id: set.id, name: set.name }, hardware);
const model = (profile: object) => pool(scaleSet({ profile })).model;

describe('a scale set in our words', () => {
  it('is a pool', () => {
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
  ])('that is %s is %s', (provisioningState, state) => {
    expect(pool(scaleSet({ properties: { provisioningState } })).state).toBe(state);
  });

  it('tells by whom else it is managed', () => {
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

  it('shows what rules a pool out or changes the plan', () => {
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

  it('has no bootstrap only where we said so', () => {
    expect(pool(scaleSet({ top: { tags: { 'headstart-bootstrap': 'none' } } })).model.bootstrap).toBe('none');
    expect(pool(scaleSet({ top: { tags: { 'headstart-bootstrap': 'custom-data' } } })).model.bootstrap).toBe('unknown');
  });

  it.each([
    [{ id: versionId }, { kind: 'version', id: versionId }],
    [{ id: definitionId }, { kind: 'definition', id: definitionId }],
    [{ id: `${group}/images/mine` }, { kind: 'other', id: `${group}/images/mine` }],
    [
      { communityGalleryImageId: '/CommunityGalleries/x/Images/y' },
      { kind: 'other', id: '/CommunityGalleries/x/Images/y' },
    ],
    [undefined, { kind: 'other', id: '' }],
  ])('refers to an image: %j', (reference, expected) => {
    expect(imageOf(reference && { ...none, ...reference })).toEqual(expected);
  });
});

describe('hardware, with no disk to look at', () => {
  it.each([
    ['Standard_D4s_v5', 'x64', 'V1'],
    ['Standard_D4ps_v5', 'Arm64', 'V2'],
    ['Standard_E8pds_v6', 'Arm64', 'V2'],
    ['Standard_NP10s', 'x64', 'V1'],
    ['Standard_E4-2ds_v5', 'x64', 'V1'],
  ])('of %s is %s, %s', (name, architecture, generation) => {
    expect(guessedHardware(scaleSet({ top: { sku: { name, capacity: 0 } } }))).toEqual({ architecture, generation });
  });

  it('with secure boot is of the second generation', () => {
    const set = scaleSet({ profile: { securityProfile: { securityType: 'TrustedLaunch' } } });
    expect(guessedHardware(set).generation).toBe('V2');
  });
});

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

describe('a change of the model as one update', () => {
  const change: ModelChange = {
    image: { kind: 'version', id: versionId },
    bootstrap: 'none',
    extensions: { keep: ['health'], add: [] },
    tags: { 'headstart-version': '2026.11.15' },
  };

  it('carries the fields we own and nothing else', () => {
    expect(patchOf(scaleSet(), change)).toEqual({
      tags: { team: 'a', 'headstart-version': '2026.11.15', 'headstart-bootstrap': 'none' },
      properties: {
        virtualMachineProfile: {
          storageProfile: {
            imageReference: { id: versionId, publisher: null, offer: null, sku: null, version: null },
          },
          osProfile: { customData: Buffer.from('#cloud-config\n').toString('base64') },
          extensionProfile: {
            extensionsTimeBudget: 'PT45M',
            extensions: [
              {
                name: 'health',
                properties: {
                  publisher: 'P',
                  type: 'health',
                  typeHandlerVersion: '1.0',
                  settings: { port: 1 },
                  suppressFailures: true,
                },
              },
            ],
          },
        },
      },
    });
  });

  it('removes the last extension by an empty list, and says nothing of extensions where there are none', () => {
    const profileOf = (body: Record<string, unknown>) => JSON.stringify(body);
    expect(profileOf(patchOf(scaleSet(), { ...change, extensions: { keep: [], add: [] } }))).toContain(
      '"extensions":[]',
    );
    const bare = scaleSet({ profile: { extensionProfile: undefined } });
    expect(profileOf(patchOf(bare, { ...change, extensions: { keep: [], add: [] } }))).not.toContain(
      'extensionProfile',
    );
  });

  it('goes back to the marketplace by clearing the id', () => {
    const image = { kind: 'marketplace', publisher: 'C', offer: 'o', sku: 's', version: '1' } as const;
    expect(patchOf(scaleSet(), { ...change, image })).toMatchObject({
      properties: {
        virtualMachineProfile: { storageProfile: { imageReference: { id: null, publisher: 'C', version: '1' } } },
      },
    });
  });

  it('does not put an OS profile on a specialized pool, and refuses custom data for one', () => {
    const special = scaleSet({ profile: { osProfile: undefined } });
    expect(JSON.stringify(patchOf(special, change))).not.toContain('osProfile');
    expect(() => patchOf(special, { ...change, bootstrap: { customData: 'eA==' } })).toThrow(
      expect.objectContaining({ code: 'vms/no-os-profile' }),
    );
  });

  it('never sends protected settings, also when a recipe has them', () => {
    const saved = extension('bootstrap');
    const add = [{ ...saved, properties: { ...saved.properties, protectedSettings: { token: 'canary' } } }];
    expect(JSON.stringify(patchOf(scaleSet(), { ...change, extensions: { keep: [], add } }))).not.toContain('canary');
  });

  it('has each extension once, and waits only for those that are there', () => {
    const names = ['a', 'b', 'c', 'd'];
    const some = fc.subarray(names);
    fc.assert(
      fc.property(some, some, some, fc.array(some, { minLength: 4, maxLength: 4 }), (there, keep, added, waits) => {
        const make = (name: string) =>
          extension(
            name,
            waits[names.indexOf(name)]?.filter((one) => one !== name),
          );
        const set = scaleSet({ profile: { extensionProfile: { extensions: there.map(make) } } });
        const body = patchOf(set, { ...change, extensions: { keep, add: added.map(make) } });
        const after =
          scaleSetSchema.shape.properties.parse(body.properties).virtualMachineProfile?.extensionProfile?.extensions ??
          [];
        const afterNames = after.map(({ name }) => name);
        const expected = new Set([...there.filter((name) => keep.includes(name)), ...added]);
        expect(afterNames.length).toBe(expected.size);
        expect(new Set(afterNames)).toEqual(expected);
        for (const one of after)
          for (const name of one.properties.provisionAfterExtensions ?? []) expect(afterNames).toContain(name);
      }),
    );
  });
});

describe('tags', () => {
  const tags = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2'));
  const changes = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.option(fc.constantFrom('1', '2')));

  it('changed twice are changed once', () => {
    fc.assert(
      fc.property(tags, changes, (seen, change) => {
        const once = withChanges(seen, change) ?? seen;
        expect(withChanges(once, change)).toBeUndefined();
        for (const [name, value] of Object.entries(change)) expect(once[name] ?? null).toBe(value);
        for (const name of Object.keys(seen)) if (!(name in change)) expect(once[name]).toBe(seen[name]);
      }),
    );
  });
});

describe('an instance in our words', () => {
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

  it('was made from the version its floating reference meant then', () => {
    const vm = { location: 'we', storageProfile: { imageReference: { id: definitionId, exactVersion: '2026.11.15' } } };
    expect(instanceOf(vm, ref, facts).image).toEqual({ kind: 'version', id: versionId });
  });

  it('has no disk to copy where the disk is the host’s own, and a size even when deallocated', () => {
    expect(
      instanceOf({ location: 'we', storageProfile: { osDisk: { createOption: 'FromImage' } } }, ref, facts).osDisk,
    ).toBeUndefined();
    const osDisk = { createOption: 'FromImage', managedDisk: { id: 'd' } } as const;
    expect(instanceOf({ location: 'we', storageProfile: { osDisk } }, ref, { ...facts, osDiskGb: 30 }).osDisk).toEqual({
      id: 'd',
      sizeGb: 30,
    });
  });
});

describe('a snapshot in our words', () => {
  it.each([
    [{ provisioningState: 'Succeeded' }, 'complete'],
    [{ provisioningState: 'Succeeded', completionPercent: 40 }, 'creating'],
    [{ provisioningState: 'Succeeded', completionPercent: 100 }, 'complete'],
    [{ provisioningState: 'Updating', completionPercent: 100 }, 'creating'],
    [{ provisioningState: 'Failed' }, 'failed'],
    [{ provisioningState: 'Canceled' }, 'failed'],
  ])('%j is %s', (fields, state) => {
    expect(snapshotOf({ location: 'we', ...fields }).state).toBe(state);
  });
});

describe('a version in our words', () => {
  const definition = { id: definitionId, gallery: 'SIG_demo', name: 'kamino-pool-prototype' } as Parameters<
    typeof versionOf
  >[1];
  const summary = [
    { region: 'West Europe', state: 'Completed', progress: 100 },
    { region: 'North Europe', state: 'Replicating', progress: 35 },
  ];

  it.each([
    ['Creating', undefined, 'creating'],
    ['Succeeded', 'Completed', 'ready'],
    ['Succeeded', 'InProgress', 'replicating'],
    ['Succeeded', 'Unknown', 'replicating'],
    ['Succeeded', undefined, 'replicating'],
    ['Succeeded', 'Failed', 'failed'],
    ['Updating', 'Completed', 'replicating'],
    ['Failed', undefined, 'failed'],
    ['Deleting', 'Completed', 'deleting'],
  ])('%s and replication %s is %s', (provisioningState, aggregatedState, state) => {
    const replicationStatus = aggregatedState ? { aggregatedState, summary } : undefined;
    const found = {
      location: 'we',
      name: '2026.11.15',
      provisioningState,
      ...(replicationStatus && { replicationStatus }),
    };
    expect(versionOf(found, definition)).toMatchObject({
      state,
      id: versionId,
      percent: state === 'ready' ? 100 : aggregatedState ? 35 : 0,
    });
  });
});

describe('references to versions', () => {
  it('are found whatever the case, and others are not', () => {
    const references = [
      { kind: 'version', id: versionId.toUpperCase() },
      { kind: 'version', id: versionId.replace('SIG_demo', 'SIG_other') },
      { kind: 'definition', id: definitionId },
      { kind: 'other', id: '' },
    ] as const;
    expect([...versionNamesIn(references, { id: definitionId })]).toEqual(['2026.11.15']);
  });

  it('that float mean the newest by number, not by text', () => {
    expect(newestEligible(['2026.9.30', '2026.11.1', '2026.10.31'].map((name) => ({ name })))).toBe('2026.11.1');
    expect(newestEligible([])).toBeUndefined();
  });
});
