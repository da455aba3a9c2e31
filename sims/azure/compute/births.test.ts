import { describe, expect, it } from 'vitest';
import { stringAt } from '../service/json.ts';
import { Bench, withVersion } from '../testing.ts';
import { addInstances, recount, reimage } from './births.ts';

const fromVersion = (bench: Bench, id: string) => {
  const profile = bench.set().properties.virtualMachineProfile as { storageProfile: { imageReference: object } };
  profile.storageProfile.imageReference = { id };
};

describe('a new instance', () => {
  it('of a Uniform set is named by a counter that never decreases', () => {
    const bench = new Bench();
    delete bench.world.instances[bench.instances()[1]!.id.toLowerCase()];
    const [born] = addInstances(bench.world, bench.set(), 1, bench.nowMs);
    expect([born!.instanceId, born!.computerName]).toEqual(['2', expect.stringMatching(/000002$/)]);
  });

  it('of a Flexible set has a random name, and is a VM of its resource group', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 2, mode: 'Flexible' }] });
    const names = bench.instances().map(({ name }) => name);
    expect(new Set(names).size).toBe(2);
    for (const { id, name } of bench.instances()) {
      expect(name).toMatch(/^pool1_[0-9a-f]{8}$/);
      expect(id).toMatch(new RegExp(`/resourceGroups/demo/providers/Microsoft.Compute/virtualMachines/${name}$`));
    }
  });

  it('has a managed disk unless the disk is ephemeral', () => {
    const bench = new Bench();
    expect(new Set(bench.instances().map(({ osDiskId }) => osDiskId)).size).toBe(2);
    const ephemeral = new Bench({ scaleSets: [{ name: 'pool1', instances: 2, ephemeral: true }] });
    expect(ephemeral.instances().map(({ osDiskId }) => osDiskId)).toEqual([null, null]);
    expect(ephemeral.world.disks).toEqual({});
  });

  it('keeps what it was made from when the model changes', () => {
    const bench = new Bench();
    fromVersion(bench, withVersion(bench));
    const [before] = bench.instances();
    const [after] = addInstances(bench.world, bench.set(), 1, bench.nowMs);
    expect(after!.birth.exactVersion).toBe('2026.11.15');
    expect(before!.birth.exactVersion).not.toBe('2026.11.15');
  });
});

describe('a reimaged instance', () => {
  it('keeps its name and id and gets a new disk from the current model', () => {
    const bench = new Bench();
    fromVersion(bench, withVersion(bench));
    const instance = bench.instances()[0]!;
    const { id, vmId, osDiskId } = instance;
    reimage(bench.world, instance);
    expect(instance).toMatchObject({ id, vmId, birth: { exactVersion: '2026.11.15' } });
    expect(instance.osDiskId).not.toBe(osDiskId);
    expect(bench.world.disks[osDiskId!.toLowerCase()]).toBeUndefined();
  });

  it('fails and keeps its disk when the image no longer exists', () => {
    const bench = new Bench();
    fromVersion(bench, `${withVersion(bench)}9`);
    const instance = bench.instances()[0]!;
    const { osDiskId } = instance;
    reimage(bench.world, instance);
    expect([instance.state, instance.osDiskId]).toEqual(['Failed', osDiskId]);
  });
});

describe('the capacity of a set', () => {
  it('counts no instance that is being deleted', () => {
    const bench = new Bench();
    bench.instances()[0]!.state = 'Deleting';
    recount(bench.world, bench.set());
    expect(bench.set().top.sku).toMatchObject({ capacity: 1, name: stringAt(bench.set().top, 'sku', 'name') });
  });
});
