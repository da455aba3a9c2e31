import { describe, expect, it } from 'vitest';
import { Forbidden } from '../../base/failures.ts';
import { locateNodes } from './locate-nodes.ts';
import { donorLab } from './testing.ts';

describe('locateNodes', () => {
  it('skips nodes that are in no pool and keeps the order', async () => {
    const { site, cluster, provider, deps } = donorLab();
    for (let i = 0; i < 20; i++) provider.scaleOut({ id: '/pools/pool1', name: 'pool1' });
    const { instances } = provider.state.pools.get('/pools/pool1')!;
    for (const { computerName, ref } of instances.slice(3)) {
      cluster.addNode(computerName, { providerId: `fake://pool1/${ref.id}` });
    }
    cluster.addNode('control-plane', { providerId: 'elsewhere://x' });
    const located = await locateNodes(site, await cluster.listNodes(), deps.signal);
    expect(located.map(({ node }) => node.name)).toEqual(instances.map(({ computerName }) => computerName));
  });

  it('does not treat a refused login as a node without a pool', async () => {
    const { site, cluster, provider, deps } = donorLab();
    provider.pools.locateAll = async () => {
      throw new Forbidden('no right to read scale sets');
    };
    await expect(locateNodes(site, await cluster.listNodes(), deps.signal)).rejects.toThrow('no right');
  });
});
