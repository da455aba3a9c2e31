import { describe, expect, it } from 'vitest';
import { answersOf } from './answers.ts';
import type { GroupNode, NodeGroup } from './node-group.ts';
import { openNodeIds } from './node-ids.ts';

/** As kubelet of a local node registers it: from metadata like Azure's. */
const azureId = (id: string) =>
  `azure:///subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/local/providers/Microsoft.Compute/virtualMachineScaleSets/web/virtualMachines/${id}`;

function answering(nodes: GroupNode[] = [], registered: string[] = []) {
  const listNodes = async () => registered.map((name) => ({ name, providerId: azureId(name) }));
  const deleted: string[][] = [];
  const group: NodeGroup = {
    ...{ pool: { id: 'pools/web', name: 'web' }, min: 0, max: 3 },
    targetSize: async () => nodes.length,
    nodes: async () => nodes,
    has: async (id) => nodes.some((node) => node.id === id),
    increase: async () => undefined,
    decrease: async () => undefined,
    deleteNodes: async (ids) => void deleted.push([...ids]),
    settle: () => Promise.reject(new Error('the pool is gone')),
    ended: async () => undefined,
  };
  const answers = answersOf({
    groups: [group],
    nodeIds: openNodeIds({ clusterOf: async () => 'lab', listNodes }),
    template: () => Promise.reject(new Error('unused')),
  });
  return { answers, deleted };
}

const failure = (isOutOfResources: boolean) => ({ code: 'c', message: 'm', isOutOfResources });

describe('answers to cluster-autoscaler', () => {
  it('give each node its state, and a failure its class', async () => {
    const { answers } = answering([
      { id: 'a', state: 'running' },
      { id: 'b', state: 'deleting' },
      { id: 'c', state: 'unknown' },
      { id: 'd', state: 'creating', failure: failure(true) },
      { id: 'e', state: 'creating', failure: failure(false) },
    ]);
    expect((await answers.NodeGroupNodes({ id: 'web' })).instances).toEqual([
      { id: 'qemu:///web/a', status: { state: 1 } },
      { id: 'qemu:///web/b', status: { state: 3 } },
      { id: 'qemu:///web/c', status: { state: 0 } },
      { id: 'qemu:///web/d', status: { state: 2, failure: { code: 'c', message: 'm', class: 1 } } },
      { id: 'qemu:///web/e', status: { state: 2, failure: { code: 'c', message: 'm', class: 99 } } },
    ]);
  });

  it('list a node under exactly the provider id that its kubelet registered, and take it back', async () => {
    const running = { state: 'running' } as const;
    const { answers, deleted } = answering(
      [
        { id: 'a', nodeName: 'a', ...running },
        { id: 'b', nodeName: 'b', ...running },
        { id: 'c', state: 'creating' },
      ],
      ['a', 'c'],
    );
    const { instances } = await answers.NodeGroupNodes({ id: 'web' });
    expect(instances.map(({ id }) => id)).toEqual([azureId('a'), 'qemu:///web/b', 'qemu:///web/c']);
    const node = { name: 'a', providerId: azureId('a') };
    expect((await answers.NodeGroupForNode({ node })).group).toMatchObject({ id: 'web' });
    await answers.NodeGroupDeleteNodes({ id: 'web', nodes: [node] });
    expect(deleted).toEqual([['a']]);
  });

  it('list a node that registers later under its own provider id after the next refresh', async () => {
    const registered: string[] = [];
    const { answers } = answering([{ id: 'a', nodeName: 'a', state: 'running' }], registered);
    const ids = async () => (await answers.NodeGroupNodes({ id: 'web' })).instances.map(({ id }) => id);
    expect(await ids()).toEqual(['qemu:///web/a']);
    registered.push('a');
    expect(await ids()).toEqual(['qemu:///web/a']);
    await answers.Refresh();
    expect(await ids()).toEqual([azureId('a')]);
  });

  it('delete nodes by the end of their provider id, and none when one belongs elsewhere', async () => {
    const { answers, deleted } = answering();
    const own = { name: 'a', providerId: 'qemu:///web/a' };
    await answers.NodeGroupDeleteNodes({ id: 'web', nodes: [own] });
    const foreign = { name: 'x', providerId: 'qemu:///db/x' };
    await expect(answers.NodeGroupDeleteNodes({ id: 'web', nodes: [own, foreign] })).rejects.toMatchObject({
      code: 'autoscaler/foreign-node',
    });
    expect(deleted).toEqual([['a']]);
  });

  it('name no group for a question without a node', async () => {
    expect(await answering().answers.NodeGroupForNode({ node: null })).toEqual({ group: {} });
  });

  it('do not fail a refresh because of one pool', async () => {
    expect(await answering().answers.Refresh()).toEqual({});
  });
});
