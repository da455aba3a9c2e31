import { describe, expect, it } from 'vitest';
import { fieldAt, type JsonObject } from '../service/json.ts';
import { Bench, codeOf } from '../testing.ts';

describe('a snapshot', () => {
  const create = (bench: Bench, name: string) => ({
    body: {
      location: 'westeurope',
      tags: { donor: name },
      properties: { creationData: { createOption: 'Copy', sourceResourceId: bench.instances()[0]!.osDiskId } },
    },
  });

  it('fills up over time, and is complete only at the end', () => {
    const bench = new Bench();
    bench.ask('PUT', 'snapshots/s', create(bench, 'a'));
    const percent = () => fieldAt(bench.ask('GET', 'snapshots/s').body, 'properties', 'completionPercent');
    const seen = [0, 30_000, 30_000].map((ms) => {
      bench.nowMs += ms;
      return percent();
    });
    expect(seen).toEqual([0, 50, 100]);
  });

  it('of a missing disk, or of a disk in another region, is refused', () => {
    const bench = new Bench();
    const { body } = create(bench, 'a');
    expect(codeOf(bench.ask('PUT', 'snapshots/s', { body: { ...body, location: 'northeurope' } }))).toEqual([
      400,
      'BadRequest',
    ]);
    body.properties.creationData.sourceResourceId += 'x';
    expect(codeOf(bench.ask('PUT', 'snapshots/s', { body }))).toEqual([404, 'ResourceNotFound']);
  });

  it('of a disk with a customer-managed key has the same key', () => {
    const diskEncryptionSet =
      '/subscriptions/s/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/nodes';
    const bench = new Bench({ scaleSets: [{ name: 'pool1', diskEncryptionSet }] });
    const { body } = create(bench, 'a');
    const ask = (encryption: JsonObject) =>
      bench.ask('PUT', 'snapshots/s', { body: { ...body, properties: { ...body.properties, ...encryption } } });
    const type = 'EncryptionAtRestWithCustomerKey';
    expect(codeOf(ask({}))).toEqual([400, 'BadRequest']);
    expect(codeOf(ask({ encryption: { type, diskEncryptionSetId: '/other' } }))).toEqual([400, 'BadRequest']);
    expect(ask({ encryption: { type, diskEncryptionSetId: diskEncryptionSet } }).status).toBe(202);
    expect(fieldAt(bench.ask('GET', 'snapshots/s').body, 'properties', 'encryption')).toEqual({
      type,
      diskEncryptionSetId: diskEncryptionSet,
    });
  });

  it('keeps its source on another PUT, and takes the new tags', () => {
    const bench = new Bench();
    bench.askAndWait('PUT', 'snapshots/s', create(bench, 'a'));
    bench.askAndWait('PUT', 'snapshots/s', create(bench, 'b'));
    expect(Object.values(bench.world.snapshots)[0]).toMatchObject({ tags: { donor: 'b' }, state: 'Succeeded' });
    const other = create(bench, 'c');
    other.body.properties.creationData.sourceResourceId = bench.instances()[1]!.osDiskId;
    expect(codeOf(bench.ask('PUT', 'snapshots/s', other))).toEqual([409, 'PropertyChangeNotAllowed']);
  });

  it.each([
    [{}, 202],
    [{ networkAccessPolicy: 'AllowAll' }, 202],
    [{ networkAccessPolicy: 'DenyAll', publicNetworkAccess: 'Disabled' }, 409],
  ])('with %j answers an export with %i', (access, status) => {
    const bench = new Bench();
    const { body } = create(bench, 'a');
    bench.askAndWait('PUT', 'snapshots/s', { body: { ...body, properties: { ...body.properties, ...access } } });
    expect(bench.ask('GET', 'snapshots/s').body).toMatchObject({ properties: access });
    const grant = { access: 'Read', durationInSeconds: 60 };
    expect(bench.ask('POST', 'snapshots/s/beginGetAccess', { body: grant }).status).toBe(status);
  });

  it('that fails by a fault stays as Failed', () => {
    const bench = new Bench();
    bench.askAndWait('PUT', 'snapshots/s', { ...create(bench, 'a'), strike: { fate: 'failed' } });
    expect(Object.values(bench.world.snapshots)[0]?.state).toBe('Failed');
  });
});
