import { describe, expect, it } from 'vitest';
import { Forbidden, NotFound } from '../../base/failures.ts';
import { savedModelName } from '../names.ts';
import { POOL } from '../testing.ts';
import { findOwnPool, findSitePool, listSitePools } from './find-pool.ts';
import { donorLab } from './testing.ts';

/** Records the names of the calls to pools. */
function counted(world: ReturnType<typeof donorLab>): { site: typeof world.site; calls: string[] } {
  const calls: string[] = [];
  const pools = new Proxy(world.site.provider.pools, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        calls.push(String(key));
        return Reflect.apply(value, target, args);
      };
    },
  });
  return { site: { ...world.site, provider: { ...world.site.provider, pools } }, calls };
}

describe('findSitePool', () => {
  it('finds a pool by its name or its id, in any case', async () => {
    const { site, ref, deps } = donorLab();
    for (const wanted of [POOL, POOL.toUpperCase(), ref.pool.id, ref.pool.id.toUpperCase()]) {
      expect(await findSitePool(site, wanted, deps.signal)).toEqual(ref.pool);
    }
  });

  it('sends one request to the cloud and does not list nodes', async () => {
    const world = donorLab();
    const { site, calls } = counted(world);
    const cluster = { ...site.cluster, listNodes: () => Promise.reject(new Error('the cluster was listed')) };
    await findSitePool({ ...site, cluster }, POOL, world.deps.signal);
    expect(calls).toEqual(['findPool']);
  });

  it.each([new NotFound('pool pool1'), new Forbidden('reading pool pool1', new Error('403'))])(
    'locates one node if the cloud answers: %s',
    async (answer) => {
      const world = donorLab();
      world.provider.pools.findPool = () => Promise.reject(answer);
      world.provider.addPool('other', 1);
      for (let i = 0; i < 20; i++) world.cluster.addNode(`a${i}`, { providerId: 'fake://other/0' });
      const { site, calls } = counted(world);
      await findSitePool(site, POOL, world.deps.signal);
      expect(calls).toEqual(['findPool', 'locateAll']);
    },
  );

  it('finds a pool whose provider ids do not contain its name', async () => {
    const { site, provider, ref, deps } = donorLab();
    const { locateAll } = provider.pools;
    provider.pools.findPool = () => Promise.reject(new NotFound('pool'));
    provider.pools.locateAll = async (...args) => {
      const found = await locateAll(...args);
      return new Map([...found].map(([id, one]) => [id, { ...one, pool: { id: '/x/y', name: 'y' } }]));
    };
    expect(await findSitePool(site, 'y', deps.signal)).toEqual({ id: '/x/y', name: 'y' });
    await expect(findSitePool(site, ref.pool.name, deps.signal)).rejects.toMatchObject({ code: 'prototype/no-pool' });
  });

  it('lists each known pool once when the name is unknown', async () => {
    const { site, deps } = donorLab();
    await expect(findSitePool(site, 'pool2', deps.signal)).rejects.toThrow(
      /^no node of this cluster belongs to a pool called pool2; known: pool1 \(did you mean pool1\?\)$/,
    );
  });

  it('does not list nodes if the site has a list of pools', async () => {
    const { site, ref, deps } = donorLab({ hasCluster: false });
    const cluster = { ...site.cluster, listNodes: () => Promise.reject(new Error('the cluster was asked')) };
    const local = { ...site, cluster, pools: async () => [ref.pool, { id: '/pools/empty', name: 'empty' }] };
    expect(await findSitePool(local, POOL, deps.signal)).toEqual(ref.pool);
    expect(await listSitePools(local, deps.signal)).toHaveLength(2);
    await expect(findSitePool(local, 'q', deps.signal)).rejects.toThrow(
      'there is no pool called q; known: empty, pool1',
    );
  });

  it('passes on the error for a named pool that does not exist', async () => {
    const { site, provider, deps } = donorLab({ hasCluster: false });
    provider.pools.findPool = () => Promise.reject(new NotFound('pool typo'));
    provider.pools.listInstances = async () => {
      throw new NotFound('pool typo in resource group g');
    };
    const named = { ...site, pools: async () => [{ id: '/pools/typo', name: 'typo' }] };
    await expect(findSitePool(named, 'typo', deps.signal)).rejects.toThrow('resource group g');
  });
});

describe('listSitePools', () => {
  it('lists each pool that has nodes once', async () => {
    const { site, ref, cluster, deps } = donorLab();
    cluster.addNode('control-plane', { providerId: 'elsewhere://x' });
    expect(await listSitePools(site, deps.signal)).toEqual([ref.pool]);
  });
});

describe('findOwnPool', () => {
  it('takes a pool that has a node in this cluster, without another request to the cloud', async () => {
    const world = donorLab();
    const { site, calls } = counted(world);
    expect(await findOwnPool(site, POOL, world.deps.signal)).toEqual(world.ref.pool);
    expect(calls.filter((name) => name !== 'parseProviderId')).toEqual(['findPool']);
  });

  it('refuses a pool of the same resource group whose nodes are in another cluster', async () => {
    const { site, provider, deps } = donorLab();
    const { ref } = provider.addPool('theirs', 2);
    await expect(findOwnPool(site, 'theirs', deps.signal)).rejects.toMatchObject({
      code: 'prototype/other-cluster',
      kept: 'Nothing was changed.',
      next: expect.stringContaining(`--pool ${ref.id}`),
    });
    expect(await findOwnPool(site, ref.id, deps.signal)).toEqual(ref);
  });

  it('takes a pool without nodes if a run of this cluster has used it, as in an outage', async () => {
    const { site, cluster, ref, deps } = donorLab();
    cluster.nodes.clear();
    await expect(findOwnPool(site, POOL, deps.signal)).rejects.toMatchObject({ code: 'prototype/other-cluster' });
    await cluster.writeSecret(savedModelName(ref.pool), { recipe: '{}' });
    expect(await findOwnPool(site, POOL, deps.signal)).toEqual(ref.pool);
  });

  it.each([true, false])(
    'finds a node of a pool that provider ids do not name, whether or not they contain its name (%s)',
    async (isAlike) => {
      const { site, provider, cluster, ref, deps } = donorLab();
      const { parseProviderId } = provider.pools;
      provider.pools.parseProviderId = (id) => {
        const parsed = parseProviderId(id);
        return parsed && { instanceId: parsed.instanceId };
      };
      if (!isAlike) provider.pools.locateAll = () => Promise.reject(new Error('no id contains the name'));
      for (const { name, providerId } of cluster.nodes.values())
        cluster.touch(name, { providerId: isAlike ? providerId : providerId.replace('pool1', 'x') });
      expect(await findOwnPool(site, POOL, deps.signal)).toEqual(ref.pool);
      cluster.nodes.clear();
      await expect(findOwnPool(site, POOL, deps.signal)).rejects.toMatchObject({ code: 'prototype/other-cluster' });
    },
  );

  it('takes any pool of a site that names its pools', async () => {
    const { site, ref, deps } = donorLab({ hasCluster: false });
    const cluster = { ...site.cluster, listNodes: () => Promise.reject(new Error('the cluster was asked')) };
    const local = { ...site, cluster, pools: async () => [ref.pool] };
    expect(await findOwnPool(local, POOL, deps.signal)).toEqual(ref.pool);
  });
});
