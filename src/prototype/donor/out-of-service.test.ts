import { describe, expect, it } from 'vitest';
import { DONOR_TAG, PRIOR_ANNOTATION, savedModelName } from '../names.ts';
import { listOutOfService, locateDonor } from './out-of-service.ts';
import { donorLab } from './testing.ts';

function labWithInstances() {
  const world = donorLab();
  return { ...world, instances: world.provider.state.pools.get('/pools/pool1')!.instances };
}

describe('listOutOfService', () => {
  it('has every donor that is marked on its node or on its instance, also without a Node object', async () => {
    const { site, cluster, instances, ref, deps } = labWithInstances();
    const [first, second, third] = instances;
    expect(await listOutOfService(site, ref.pool, deps.signal)).toEqual([]);
    cluster.touch(first!.computerName, { annotations: { [PRIOR_ANNOTATION]: '{}' } });
    second!.tags = { [DONOR_TAG]: 'dead 00' };
    third!.tags = { [DONOR_TAG]: 'dead 00' };
    cluster.nodes.delete(third!.computerName);
    const found = await listOutOfService(site, ref.pool, deps.signal);
    expect(found.map(({ name, node }) => [name, node?.name])).toEqual([
      [first!.computerName, first!.computerName],
      [second!.computerName, second!.computerName],
      [third!.computerName, undefined],
    ]);
  });
});

describe('locateDonor', () => {
  it("finds the instance by the provider id, not by the node's name", async () => {
    const { site, cluster, instances, deps } = labWithInstances();
    cluster.addNode('another-name', { providerId: `fake://pool1/${instances[1]!.ref.id}` });
    expect((await locateDonor(site, 'another-name', deps.signal)).ref.id).toBe(instances[1]!.ref.id);
  });

  it('lists the existing nodes when the name is unknown', async () => {
    const { site, donor, deps } = donorLab();
    await expect(locateDonor(site, 'nope', deps.signal)).rejects.toMatchObject({
      code: 'prototype/no-node',
      message: expect.stringContaining(donor.computerName),
    });
  });

  it('finds a marked instance whose Node object is gone, by its computer name', async () => {
    const { site, cluster, instances, deps } = labWithInstances();
    const [gone] = instances;
    cluster.nodes.delete(gone!.computerName);
    await expect(locateDonor(site, gone!.computerName, deps.signal)).rejects.toMatchObject({
      code: 'prototype/no-node', // not a donor: a run has nothing to restore
    });
    gone!.tags = { [DONOR_TAG]: 'dead 00' };
    expect(await locateDonor(site, gone!.computerName.toUpperCase(), deps.signal)).toEqual({
      name: gone!.computerName,
      ref: gone!.ref,
    });
  });

  it('finds it also if it was the only node of its pool, but not in a pool of another cluster', async () => {
    const { site, cluster, instances, ref, deps } = labWithInstances();
    instances[0]!.tags = { [DONOR_TAG]: 'dead 00' };
    const { computerName } = instances[0]!;
    cluster.nodes.clear();
    const group = { ...site, groupPools: async () => [ref.pool] };
    await expect(locateDonor(group, computerName, deps.signal)).rejects.toMatchObject({ code: 'prototype/no-node' });
    await cluster.writeSecret(savedModelName(ref.pool), { recipe: '{}' });
    expect((await locateDonor(group, computerName, deps.signal)).ref).toEqual(instances[0]!.ref);
    expect((await locateDonor(site, computerName, deps.signal, ref.pool)).ref).toEqual(instances[0]!.ref);
  });
});
