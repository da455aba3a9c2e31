import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { ApiFailure } from '../api/api-server.ts';
import type { NodeObject, OwnNode, OwnPod } from '../api/own-node.ts';
import { CORDONED, drainSelf, uncordonSelf } from './drain-self.ts';

const pod = (name: string, more: Partial<OwnPod> = {}): OwnPod => ({
  namespace: 'shop',
  name,
  phase: 'Running',
  ownerKind: 'ReplicaSet',
  isMirror: false,
  isTerminating: false,
  ...more,
});

/** A Node and its pods. An evicted pod is gone at the next list, unless its budget blocks the eviction. */
class Cluster {
  readonly clock = fakeClock();
  readonly evicted: string[] = [];
  pods: OwnPod[] = [];
  refusals = 0;
  /** The next requests fail with these errors. */
  outages: ApiFailure[] = [];
  node: NodeObject | undefined = {
    name: 'n',
    uid: 'u',
    annotations: {},
    labels: {},
    taints: [],
    isUnschedulable: false,
    ready: undefined,
  };

  deps() {
    const unused = async (): Promise<never> => {
      throw new Error('not used here');
    };
    const node: OwnNode = {
      patchMetadata: unused,
      patchCondition: unused,
      createEvent: unused,
      watchMetadata: unused,
      get: async () => this.#answer(this.node),
      pods: async () => this.#answer(this.pods),
      cordon: async ({ isCordoned, annotations }) => {
        const all = Object.entries({ ...this.node!.annotations, ...annotations });
        const kept = Object.fromEntries(all.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
        this.node = { ...this.node!, isUnschedulable: isCordoned, annotations: kept };
      },
      evict: async ({ name }) => {
        this.#answer(undefined);
        if (this.refusals-- > 0) throw new ApiFailure('not now', { status: 429 });
        this.evicted.push(name);
        this.pods = this.pods.filter((one) => one.name !== name);
      },
    };
    return { node, clock: this.clock };
  }

  #answer<T>(value: T): T {
    const outage = this.outages.shift();
    if (outage !== undefined) throw outage;
    return value;
  }
}

describe('drainSelf', () => {
  it('cordons the node, evicts the pods that can run elsewhere, and can be undone', async () => {
    const cluster = new Cluster();
    cluster.pods = [
      pod('web'),
      pod('agent', { ownerKind: 'DaemonSet' }),
      pod('static', { isMirror: true }),
      pod('job', { phase: 'Succeeded' }),
    ];
    await drainSelf(cluster.deps());
    expect(cluster.evicted).toEqual(['web']);
    expect(cluster.node).toMatchObject({ isUnschedulable: true, annotations: { [CORDONED]: 'yes' } });
    await uncordonSelf(cluster.deps());
    expect(cluster.node).toMatchObject({ isUnschedulable: false, annotations: {} });
  });

  it('retries an eviction that a budget blocks', async () => {
    const cluster = new Cluster();
    cluster.pods = [pod('web')];
    cluster.refusals = 100;
    await drainSelf(cluster.deps());
    expect(cluster.evicted).toEqual(['web']);
  });

  it('retries while the API server is unreachable', async () => {
    const cluster = new Cluster();
    cluster.pods = [pod('web')];
    const silent = new ApiFailure('the API server did not answer in time');
    const ill = new ApiFailure('the API server refused the request (503)', { status: 503 });
    cluster.outages = [silent, ill, silent, ill, silent];
    await drainSelf(cluster.deps());
    expect(cluster.evicted).toEqual(['web']);
  });

  it('does not retry a forbidden request, and gives up when the API server stays unreachable', async () => {
    const cluster = new Cluster();
    const forbidden = new ApiFailure('the API server forbids the request (403)', { status: 403 });
    cluster.outages = [forbidden];
    await expect(drainSelf(cluster.deps())).rejects.toBe(forbidden);
    cluster.outages = Array.from({ length: 1000 }, () => new ApiFailure('unreachable'));
    await expect(drainSelf(cluster.deps())).rejects.toThrow('unreachable');
    expect(cluster.outages.length).toBeGreaterThan(0);
  });

  it('gives up at the deadline, names the remaining pods and uncordons the node', async () => {
    const cluster = new Cluster();
    cluster.pods = [pod('ledger')];
    cluster.refusals = Number.POSITIVE_INFINITY;
    await expect(drainSelf(cluster.deps())).rejects.toThrow('shop/ledger');
    expect(cluster.node).toMatchObject({ isUnschedulable: false, annotations: {} });
  });

  it('does not uncordon a node that an operator cordoned', async () => {
    const cluster = new Cluster();
    cluster.node = { ...cluster.node!, isUnschedulable: true };
    await drainSelf(cluster.deps());
    await uncordonSelf(cluster.deps());
    expect(cluster.node).toMatchObject({ isUnschedulable: true, annotations: {} });
  });

  it('does nothing before the node has registered', async () => {
    const cluster = new Cluster();
    cluster.node = undefined;
    await drainSelf(cluster.deps());
    await uncordonSelf(cluster.deps());
    expect(cluster.evicted).toEqual([]);
  });
});
