import { describe, expect, it } from 'vitest';
import { objectsAt } from '../service/json.ts';
import { Bench, withExtensions } from '../testing.ts';
import { instanceView } from './instance-view.ts';

const viewOf = (bench: Bench) => instanceView(bench.world, bench.set(), bench.instances()[0]!);
const codesOf = (bench: Bench) => objectsAt(viewOf(bench), 'statuses').map(({ code }) => code);

describe('the view of an instance', () => {
  it('has a guest agent only while the instance runs', () => {
    const bench = new Bench();
    expect(viewOf(bench).vmAgent).toBeDefined();
    bench.instances()[0]!.power = 'stopped';
    expect(viewOf(bench).vmAgent).toBeUndefined();
    expect(codesOf(bench)).toEqual(['ProvisioningState/succeeded', 'PowerState/stopped']);
  });

  it('shows the result of the last operation', () => {
    const bench = new Bench();
    bench.instances()[0]!.state = 'Failed';
    expect(objectsAt(viewOf(bench), 'statuses')[0]).toMatchObject({ code: 'ProvisioningState/failed', level: 'Error' });
    bench.instances()[0]!.state = 'Updating';
    expect(objectsAt(viewOf(bench), 'statuses')[0]).toMatchObject({
      code: 'ProvisioningState/updating',
      level: 'Info',
    });
  });

  it('lists the extensions it was created with by publisher and type', () => {
    const types = objectsAt(viewOf(withExtensions()), 'extensions').map(({ type }) => type);
    expect(types).toContain('Microsoft.Azure.Extensions.CustomScript');
  });

  it('shows no disk for an ephemeral one, and a placement group only for a Uniform set', () => {
    const ephemeral = new Bench({ scaleSets: [{ name: 'pool1', instances: 1, ephemeral: true }] });
    expect(viewOf(ephemeral).disks).toBeUndefined();
    expect(viewOf(ephemeral).placementGroupId).toEqual(expect.any(String));
    const flexible = new Bench({ scaleSets: [{ name: 'pool1', instances: 1, mode: 'Flexible' }] });
    expect(viewOf(flexible).disks).toHaveLength(1);
    expect(viewOf(flexible).placementGroupId).toBeUndefined();
  });
});
