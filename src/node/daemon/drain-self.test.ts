import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { ApiFailure } from '../api-server.ts';
import type { NodeObject, OwnNode, OwnPod } from '../own-node.ts';
import { CORDONED, drainSelf, uncordonSelf } from './drain-self.ts';

const pod = (name: string, more: Partial<OwnPod> = {}): OwnPod => ({
  namespace: 'shop',
  name,
  phase: 'Running',
  isOfDaemonSet: false,
  isMirror: false,
  isTerminating: false,
  ...more,
});

/** A Node and its pods; an evicted pod is gone the next time somebody looks, unless its budget says no. */
class Cluster {
  readonly clock = fakeClock();
  readonly evicted: string[] = [];
  pods: OwnPod[] = [];
  refusals = 0;
  node: NodeObject | undefined = {
    name: 'n',
    uid: 'u',
    annotations: {},
    labels: {},
    taints: [],
    isUnschedulable: false,
    ready: undefined,
  };

  edges() {
    const unused = async (): Promise<never> => {
      throw new Error('not used here');
    };
    const node: OwnNode = {
      patchMetadata: unused,
      patchCondition: unused,
      createEvent: unused,
      watchMetadata: unused,
      get: async () => this.node,
      pods: async () => this.pods,
      cordon: async ({ isCordoned, annotations }) => {
        const all = Object.entries({ ...this.node!.annotations, ...annotations });
        const kept = Object.fromEntries(all.flatMap(([key, value]) => (value === null ? [] : [[key, value]])));
        this.node = { ...this.node!, isUnschedulable: isCordoned, annotations: kept };
      },
      evict: async ({ name }) => {
        if (this.refusals-- > 0) throw new ApiFailure('not now', { status: 429 });
        this.evicted.push(name);
        this.pods = this.pods.filter((one) => one.name !== name);
      },
    };
    return { node, clock: this.clock };
  }
}

describe('a node that empties itself', () => {
  it('cordons itself and evicts what can run elsewhere, then takes pods again', async () => {
    const cluster = new Cluster();
    cluster.pods = [
      pod('web'),
      pod('agent', { isOfDaemonSet: true }),
      pod('static', { isMirror: true }),
      pod('job', { phase: 'Succeeded' }),
    ];
    await drainSelf(cluster.edges());
    expect(cluster.evicted).toEqual(['web']);
    expect(cluster.node).toMatchObject({ isUnschedulable: true, annotations: { [CORDONED]: 'yes' } });
    await uncordonSelf(cluster.edges());
    expect(cluster.node).toMatchObject({ isUnschedulable: false, annotations: {} });
  });

  it('honours a budget as long as it takes', async () => {
    const cluster = new Cluster();
    cluster.pods = [pod('web')];
    cluster.refusals = 100;
    await drainSelf(cluster.edges());
    expect(cluster.evicted).toEqual(['web']);
  });

  it('gives up in the end, names what is left, and is as it was found', async () => {
    const cluster = new Cluster();
    cluster.pods = [pod('ledger')];
    cluster.refusals = Number.POSITIVE_INFINITY;
    await expect(drainSelf(cluster.edges())).rejects.toThrow('shop/ledger');
    expect(cluster.node).toMatchObject({ isUnschedulable: false, annotations: {} });
  });

  it('leaves a node that others cordoned cordoned', async () => {
    const cluster = new Cluster();
    cluster.node = { ...cluster.node!, isUnschedulable: true };
    await drainSelf(cluster.edges());
    await uncordonSelf(cluster.edges());
    expect(cluster.node).toMatchObject({ isUnschedulable: true, annotations: {} });
  });

  it('has nothing to do before it has registered', async () => {
    const cluster = new Cluster();
    cluster.node = undefined;
    await drainSelf(cluster.edges());
    await uncordonSelf(cluster.edges());
    expect(cluster.evicted).toEqual([]);
  });
});
