import type { V1Node, V1Pod, V1Taint } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { TransientError, UserError } from '../../base/errors.ts';
import { Conflict } from '../../base/failures.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { createParkedNode, nodeOf, PARKED_TAINT, readNodeSeed, releaseNode, reserveNode, seedOf } from './park-node.ts';
import { clientOf } from './testing.ts';

const parked: V1Taint = { key: PARKED_TAINT, effect: 'NoSchedule' };
const dedicated: V1Taint = { key: 'dedicated', value: 'gpu', effect: 'NoExecute' };
const notReady: V1Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const seed = { providerId: 'qemu:///web/n', labels: { a: 'b' }, annotations: {}, taints: [] };
const away = () => new TransientError('away', { code: 'cluster/unreachable' });

/** One Node with optimistic locking, and failures for the next calls of a function. */
function cluster(taints?: V1Taint[], pods: V1Pod[] = []) {
  const failures: Record<string, Error[]> = {};
  const state = { node: undefined as V1Node | undefined, version: 1, looks: 0, onLook: () => {} };
  const put = (spec: NonNullable<V1Node['spec']>, metadata: V1Node['metadata'] = {}) => {
    state.node = { metadata: { ...metadata, name: 'n', uid: 'u', resourceVersion: String(++state.version) }, spec };
  };
  if (taints) put({ taints });
  const may = (name: string) => {
    const failure = failures[name]?.shift();
    if (failure) throw failure;
  };
  const clock = fakeClock();
  const core = {
    readNode: async () => {
      may('readNode');
      state.looks++;
      state.onLook();
      return state.node;
    },
    patchNode: async ({ body }: { body: V1Node }) => {
      may('patchNode');
      if (body.metadata?.resourceVersion !== state.node?.metadata?.resourceVersion) throw new Conflict('changed');
      put({ ...state.node?.spec, ...body.spec });
    },
    createNode: async ({ body }: { body: V1Node }) => {
      may('createNode');
      if (state.node) throw new Conflict('exists');
      put(body.spec!, body.metadata);
    },
    listPodForAllNamespaces: async () => ({ items: pods }),
  };
  const keys = () => state.node?.spec?.taints?.map(({ key }) => key) ?? [];
  return { client: clientOf(core, {}, { clock }), state, failures, clock, put, keys };
}

describe('reserving a node', () => {
  it('waits until it registers, and taints it once', async () => {
    const world = cluster();
    world.failures.readNode = [away()];
    world.state.onLook = () => {
      if (world.state.looks === 3) world.put({ taints: [notReady] });
    };
    await reserveNode(world.client, 'n', {});
    expect(world.keys()).toEqual([notReady.key, PARKED_TAINT]);
    await reserveNode(world.client, 'n', {});
    expect(world.keys()).toEqual([notReady.key, PARKED_TAINT]);
  });

  it('repeats a change that another one overtook, or that got no answer', async () => {
    const world = cluster([]);
    world.failures.patchNode = [new Conflict('changed'), away()];
    await reserveNode(world.client, 'n', {});
    expect(world.keys()).toEqual([PARKED_TAINT]);
  });

  it('ends when aborted, or not allowed', async () => {
    const stop = new AbortController();
    const world = cluster();
    world.state.onLook = () => stop.abort(new Error('enough'));
    await expect(reserveNode(world.client, 'n', { signal: stop.signal })).rejects.toThrow('enough');
    const other = cluster([]);
    other.failures.patchNode = [new UserError('forbidden', { code: 'x' })];
    await expect(reserveNode(other.client, 'n', {})).rejects.toThrow('forbidden');
  });
});

describe('the seed of a node', () => {
  const pod = (name: string, more: Partial<V1Pod>): V1Pod => ({ metadata: { namespace: 'a', name }, ...more });

  it('has what a new Node needs, without the taints and annotations that controllers write', () => {
    const annotations = { 'node.alpha.kubernetes.io/ttl': '0', mine: 'x' };
    const seen = seedOf({
      metadata: { labels: { a: 'b' }, annotations },
      spec: { providerID: 'qemu:///web/n', taints: [parked, notReady, dedicated] },
    });
    expect(seen).toEqual({
      providerId: 'qemu:///web/n',
      labels: { a: 'b' },
      annotations: { mine: 'x' },
      taints: [dedicated],
    });
  });

  it.each([
    ['of a DaemonSet', { metadata: { ownerReferences: [{ kind: 'DaemonSet' }] } }],
    ['of kubelet itself', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } }],
    ['that has ended', { status: { phase: 'Succeeded' } }],
  ])('is read when the only pods are one %s', async (_what, more) => {
    const { client } = cluster([parked], [pod('p', more as Partial<V1Pod>)]);
    expect(await readNodeSeed(client, 'n', {})).toMatchObject({ taints: [] });
  });

  it('is refused with the names of the pods that would be stopped', async () => {
    const { client } = cluster([parked], [pod('p', { status: { phase: 'Running' } })]);
    await expect(readNodeSeed(client, 'n', {})).rejects.toMatchObject({
      code: 'cluster/not-parkable',
      message: expect.stringContaining('a/p'),
    });
  });

  it.each([
    ['was deleted', undefined],
    ['lost its taint', []],
  ])('is refused when the node %s', async (_what, taints) => {
    await expect(readNodeSeed(cluster(taints).client, 'n', {})).rejects.toMatchObject({ code: 'cluster/not-parkable' });
  });
});

describe('creating the Node of a claimed instance', () => {
  it('gives it the labels, the provider id, and a Ready condition that is False', async () => {
    const world = cluster();
    await createParkedNode(world.client, 'n', seed, { held: false });
    expect(world.state.node).toMatchObject({ metadata: { labels: { a: 'b' } }, spec: { providerID: 'qemu:///web/n' } });
    const now = new Date(0);
    expect(nodeOf('n', seed, { held: false, now }).status?.conditions).toMatchObject([
      { type: 'Ready', status: 'False' },
    ]);
    expect(nodeOf('n', { ...seed, taints: [dedicated] as never }, { held: true, now }).spec?.taints).toEqual([
      dedicated,
      parked,
    ]);
  });

  it('continues while the API server is away, for a minute', async () => {
    const world = cluster();
    const messages: string[] = [];
    world.failures.createNode = [away(), away()];
    await createParkedNode(world.client, 'n', seed, { held: false, onWaiting: (what) => messages.push(what) });
    expect(messages).toHaveLength(2);
    world.failures.createNode = Array.from({ length: 1000 }, away);
    await expect(createParkedNode(world.client, 'n', seed, { held: false })).rejects.toBeInstanceOf(TransientError);
    expect(world.clock.sleptMs).toBeLessThan(62_000);
  });

  it('releases one that is left from the time when it was parked', async () => {
    const world = cluster([parked, dedicated]);
    await createParkedNode(world.client, 'n', seed, { held: false });
    expect(world.keys()).toEqual(['dedicated']);
  });

  it('holds one that exists until it has its document', async () => {
    const world = cluster([]);
    await createParkedNode(world.client, 'n', seed, { held: true });
    expect(world.keys()).toEqual([PARKED_TAINT]);
  });

  it('refuses a seed that is not valid', async () => {
    const created = createParkedNode(cluster().client, 'n', { labels: 1 }, { held: false });
    await expect(created).rejects.toMatchObject({
      code: 'cluster/bad-seed',
      message: expect.stringContaining('node n'),
    });
  });
});

describe('a Node that is deleted while it is given the taint', () => {
  it('is created again', async () => {
    const world = cluster([]);
    world.state.onLook = () => {
      world.state.node = undefined;
    };
    await createParkedNode(world.client, 'n', seed, { held: true });
    expect(world.keys()).toEqual([PARKED_TAINT]);
  });
});

describe('releasing a node', () => {
  it('removes only our taint, and repeats a change that another one overtook', async () => {
    const world = cluster([dedicated, parked]);
    world.failures.patchNode = [new Conflict('changed')];
    await releaseNode(world.client, 'n', {});
    expect(world.keys()).toEqual(['dedicated']);
  });

  it('succeeds when there is nothing to remove', async () => {
    await releaseNode(cluster([]).client, 'n', {});
    await releaseNode(cluster().client, 'n', {});
  });
});
