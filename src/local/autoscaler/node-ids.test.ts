import { describe, expect, it } from 'vitest';
import { TransientError } from '../../base/errors.ts';
import { openNodeIds } from './node-ids.ts';

const web = { id: 'pools/web', name: 'web' };
const db = { id: 'pools/db', name: 'db' };

function open(clusters: Readonly<Record<string, string>> = { web: 'lab', db: 'lab' }) {
  const world = { nodes: new Map([['a', 'azure:///a']]), failure: undefined as Error | undefined, reads: 0 };
  const nodeIds = openNodeIds({
    clusterOf: async ({ name }) => clusters[name],
    async listNodes() {
      world.reads++;
      if (world.failure) throw world.failure;
      return [...world.nodes].map(([name, providerId]) => ({ name, providerId }));
    },
  });
  return { world, nodeIds };
}

const away = new TransientError('the API server does not answer', { code: 'cluster/unreachable' });

describe('the provider ids of nodes', () => {
  it('are read once for all pools of a cluster, until they expire', async () => {
    const { world, nodeIds } = open();
    await Promise.all([nodeIds.idsIn(web), nodeIds.idsIn(db)]);
    expect((await nodeIds.idsIn(web))('a')).toBe('azure:///a');
    expect(world.reads).toBe(1);
    nodeIds.expire();
    await nodeIds.idsIn(web);
    expect(world.reads).toBe(2);
  });

  it('do not exist for nodes that have not registered, or have no provider id, or whose pool has no cluster', async () => {
    const { world, nodeIds } = open({ web: 'lab' });
    world.nodes.set('b', '');
    const idOf = await nodeIds.idsIn(web);
    expect([idOf('b'), idOf('c')]).toEqual([undefined, undefined]);
    expect((await nodeIds.idsIn(db))('a')).toBeUndefined();
  });

  it('stay as they were while the API server is away; one that is not known then is an error', async () => {
    const { world, nodeIds } = open();
    await nodeIds.idsIn(web);
    world.failure = away;
    for (let round = 0; round < 2; round++) {
      nodeIds.expire();
      const idOf = await nodeIds.idsIn(web);
      expect(idOf('a')).toBe('azure:///a');
      expect(() => idOf('b')).toThrow(away);
    }
    world.failure = undefined;
    nodeIds.expire();
    expect((await nodeIds.idsIn(web))('b')).toBeUndefined();
  });

  it('are not known when the API server has not answered yet', async () => {
    const { world, nodeIds } = open();
    world.failure = away;
    const idOf = await nodeIds.idsIn(web);
    expect(() => idOf('a')).toThrow(away);
  });

  it('do not hide a bug', async () => {
    const { world, nodeIds } = open();
    world.failure = new TypeError('bug');
    await expect(nodeIds.idsIn(web)).rejects.toThrow('bug');
  });
});
