import { describe, expect, it } from 'vitest';
import { readMembers } from './members.ts';
import { donorLab } from './testing.ts';

describe('readMembers', () => {
  it('pairs each node of the pool with its instance, with a single list request', async () => {
    const { site, provider, ref, deps } = donorLab();
    const { listInstances } = provider.pools;
    let lists = 0;
    provider.pools.listInstances = async (...args) => {
      lists++;
      return listInstances(...args);
    };
    provider.pools.readInstance = () => Promise.reject(new Error('an instance was read by itself'));
    provider.pools.locate = () => Promise.reject(new Error('a node was located by itself'));
    provider.pools.locateAll = () => Promise.reject(new Error('the nodes were located'));
    const members = await readMembers(site, ref.pool, deps.signal);
    expect(members).toHaveLength(3);
    for (const { node, ref: located, instance } of members) {
      expect(node.name).toBe(instance.computerName);
      expect(located.id).toBe(instance.ref.id);
    }
    expect(lists).toBe(1);
  });

  it('skips nodes of other pools and nodes whose instance is gone', async () => {
    const { site, provider, cluster, ref, deps } = donorLab();
    provider.addPool('other', 1);
    cluster.addNode('stranger', { providerId: 'fake://other/0' });
    const [gone] = provider.state.pools.get(ref.pool.id)!.instances;
    const { listInstances } = provider.pools;
    provider.pools.listInstances = async (...args) =>
      (await listInstances(...args)).filter((one) => one.ref.id !== gone!.ref.id);
    const names = (await readMembers(site, ref.pool, deps.signal)).map(({ node }) => node.name);
    expect(names).toHaveLength(2);
    expect(names).not.toContain('stranger');
    expect(names).not.toContain(gone!.computerName);
  });

  it('compares ids case-insensitively', async () => {
    const { site, provider, ref, deps } = donorLab();
    const { parseProviderId } = provider.pools;
    provider.pools.parseProviderId = (id) => {
      const parsed = parseProviderId(id)!;
      return { instanceId: parsed.instanceId.toUpperCase(), poolId: parsed.poolId!.toUpperCase() };
    };
    expect(await readMembers(site, ref.pool, deps.signal)).toHaveLength(3);
  });
});
