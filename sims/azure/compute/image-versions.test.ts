import { describe, expect, it } from 'vitest';
import { fieldAt, type JsonObject, objectAt, stringAt } from '../service/json.ts';
import { Bench, codeOf, versionBody, withVersion } from '../testing.ts';

const IMAGE = 'galleries/SIG_demo/images/proto';
const VERSION = `${IMAGE}/versions/2026.11.15`;

describe('the name of a version', () => {
  it.each(['2026.11', 'latest', '1.2.3.4', '1.2.99999999999'])('is not %s', (name) => {
    const bench = new Bench();
    withVersion(bench);
    expect(codeOf(bench.ask('PUT', `${IMAGE}/versions/${name}`, { body: versionBody(bench) }))).toEqual([
      400,
      'InvalidParameter',
    ]);
  });
});

describe('a version', () => {
  it('is Succeeded before it is in every region: only the replication status shows the rest', () => {
    const bench = new Bench();
    withVersion(bench);
    const look = () => {
      const { body } = bench.ask('GET', VERSION, { query: '$expand=ReplicationStatus' });
      return [
        stringAt(body, 'properties', 'provisioningState'),
        stringAt(body, 'properties', 'replicationStatus', 'aggregatedState'),
      ];
    };
    expect(look()).toEqual(['Succeeded', 'InProgress']);
    bench.nowMs += bench.world.timing.replicationLagMs;
    expect(look()).toEqual(['Succeeded', 'Completed']);
    expect(fieldAt(bench.ask('GET', VERSION).body, 'properties', 'replicationStatus')).toBeUndefined();
  });

  it('on zone-redundant storage fails in a region without it, stays failed, and can be created again after its deletion', () => {
    const bench = new Bench({ zoneRedundantStorage: false });
    withVersion(bench, { publishing: { storageAccountType: 'Standard_ZRS' } });
    expect(stringAt(bench.ask('GET', VERSION).body, 'properties', 'provisioningState')).toBe('Failed');
    const body = versionBody(bench, { storageAccountType: 'Standard_LRS' });
    expect(codeOf(bench.ask('PUT', VERSION, { body }))).toEqual([409, 'PropertyChangeNotAllowed']);
    bench.askAndWait('DELETE', VERSION);
    expect(bench.askAndWait('PUT', VERSION, { body }).body?.status).toBe('Succeeded');
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'with a customer-managed key',
      { encryption: { type: 'EncryptionAtRestWithCustomerKey', diskEncryptionSetId: '/des' } },
      { diskEncryptionSetId: '/des' },
    ],
    [
      'of a confidential VM',
      { securityProfile: { securityType: 'ConfidentialVM_DiskEncryptedWithPlatformKey' } },
      { securityProfile: { confidentialVMEncryptionType: 'EncryptedWithPmk' } },
    ],
  ])('of a snapshot %s is encrypted in each region', (_, properties, osDiskImage) => {
    const bench = new Bench();
    withVersion(bench);
    Object.assign(Object.values(bench.world.snapshots)[0]!.properties, properties);
    const ask = (more: JsonObject) =>
      bench.ask('PUT', `${IMAGE}/versions/1.0.0`, {
        body: versionBody(bench, { targetRegions: [{ name: 'westeurope', ...more }] }),
      });
    expect(codeOf(ask({}))).toEqual([400, 'InvalidParameter']);
    expect(ask({ encryption: { osDiskImage } }).status).toBe(201);
  });

  it.each<[string, (bench: Bench) => JsonObject, number, string]>([
    [
      'a source that is not there',
      (bench) => JSON.parse(JSON.stringify(versionBody(bench)).replace('snapshots/snap', 'snapshots/gone')),
      404,
      'ResourceNotFound',
    ],
    [
      'another region than its source',
      (bench) => ({ ...versionBody(bench), location: 'northeurope' }),
      400,
      'BadRequest',
    ],
    [
      'target regions without its own',
      (bench) => versionBody(bench, { targetRegions: [{ name: 'northeurope' }] }),
      400,
      'InvalidParameter',
    ],
    ['no replicas', (bench) => versionBody(bench, { replicaCount: 0 }), 400, 'InvalidParameter'],
  ])('is refused with %s', (_, body, status, code) => {
    const bench = new Bench();
    withVersion(bench);
    expect(codeOf(bench.ask('PUT', `${IMAGE}/versions/2026.11.16`, { body: body(bench) }))).toEqual([status, code]);
  });

  it('is refused while its snapshot is still being taken', () => {
    const bench = new Bench();
    withVersion(bench);
    const { osDiskId } = bench.instances()[1]!;
    const body = {
      location: 'westeurope',
      properties: { creationData: { createOption: 'Copy', sourceResourceId: osDiskId } },
    };
    bench.askAndWait('DELETE', 'snapshots/snap');
    bench.ask('PUT', 'snapshots/snap', { body });
    expect(codeOf(bench.ask('PUT', `${IMAGE}/versions/2026.11.16`, { body: versionBody(bench) }))).toEqual([
      409,
      'OperationNotAllowed',
    ]);
  });

  describe('of a disk in a storage account', () => {
    const source = {
      uri: 'https://images.blob.core.windows.net/vhds/node.vhd',
      storageAccountId:
        '/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/demo/providers/Microsoft.Storage/storageAccounts/images',
    };
    const blobVersion = `${IMAGE}/versions/2026.1116.0`;
    const ofBlob = (bench: Bench, given: JsonObject) => {
      const body = versionBody(bench);
      return {
        body: {
          ...body,
          properties: { ...objectAt(body, 'properties'), storageProfile: { osDiskImage: { source: given } } },
        },
      };
    };

    it('can be created and shows its source', () => {
      const bench = new Bench();
      withVersion(bench);
      expect(bench.askAndWait('PUT', blobVersion, ofBlob(bench, source)).body?.status).toBe('Succeeded');
      const made = bench.ask('GET', blobVersion).body;
      expect(fieldAt(made, 'properties', 'storageProfile', 'osDiskImage', 'source')).toEqual(source);
    });

    it('accepts tags, keeps its source and refuses another one', () => {
      const bench = new Bench();
      withVersion(bench);
      bench.askAndWait('PUT', blobVersion, ofBlob(bench, source));
      bench.askAndWait('PATCH', blobVersion, {
        body: { tags: { channel: 'dev' }, properties: { storageProfile: { osDiskImage: { source } } } },
      });
      expect(bench.ask('GET', blobVersion).body?.tags).toEqual({ channel: 'dev' });
      const other = { ...source, uri: `${source.uri}.other` };
      const change = { body: { properties: { storageProfile: { osDiskImage: { source: other } } } } };
      expect(codeOf(bench.ask('PATCH', blobVersion, change))).toEqual([409, 'PropertyChangeNotAllowed']);
    });

    it.each([
      ['no account', { uri: source.uri }],
      ['an account that is none', { ...source, storageAccountId: '/images' }],
      ['an address that is none', { ...source, uri: 'node.vhd' }],
      ['a snapshot as well', { ...source, id: '/snap' }],
    ])('is refused with %s', (_, given) => {
      const bench = new Bench();
      withVersion(bench);
      expect(codeOf(bench.ask('PUT', blobVersion, ofBlob(bench, given)))).toEqual([400, 'InvalidParameter']);
    });
  });

  it('allows a change of the exclusion from latest, but not of its source', () => {
    const bench = new Bench();
    withVersion(bench, { publishing: { excludeFromLatest: true } });
    bench.askAndWait('PATCH', VERSION, { body: { properties: { publishingProfile: { excludeFromLatest: false } } } });
    const profile = objectAt(bench.ask('GET', VERSION).body, 'properties', 'publishingProfile');
    expect(profile).toMatchObject({ excludeFromLatest: false, replicaCount: 3 });
    const other = { storageProfile: { osDiskImage: { source: { id: '/subscriptions/x' } } } };
    expect(codeOf(bench.ask('PATCH', VERSION, { body: { properties: other } }))).toEqual([
      409,
      'PropertyChangeNotAllowed',
    ]);
  });
});
