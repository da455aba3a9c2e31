// node/daemon/node-hooks.ts: what of a change takes the Node's credential? Its labels, its health as the cluster sees it, and emptying it.
import { ApiFailure } from '../api-server.ts';
import type { SeenNode } from '../observing/live-values.ts';
import type { NodeObject, OwnNode } from '../own-node.ts';
import type { NodeHealth, NodeHooks } from '../transaction/contract.ts';
import { type DrainEdges, drainSelf, uncordonSelf } from './drain-self.ts';

export interface HookEdges extends DrainEdges {
  node: OwnNode;
  /** Before kubelet has a credential nobody is asked: that is on the way to kubelet's start. */
  hasCredential(): boolean;
}

export function nodeHooks(edges: HookEdges): NodeHooks & { health(): Promise<NodeHealth> } {
  const { node, hasCredential } = edges;
  return {
    async seen() {
      if (!hasCredential()) return undefined;
      const found = await orUnknown(node.get());
      return found && seenOf(found);
    },
    async health() {
      if (!hasCredential()) return { isReachable: false };
      const found = await orUnknown(node.get(), null);
      if (found === null) return { isReachable: false };
      return { isReachable: true, isReady: found?.ready?.isReady === true, heartbeatMs: found?.ready?.heartbeatMs };
    },
    setLabel: (key, value) => node.patchMetadata({ labels: { [key]: value ?? null } }),
    drain: (signal) => drainSelf(edges, signal),
    uncordon: () => uncordonSelf(edges),
  };
}

export function seenOf({ labels, taints }: Pick<NodeObject, 'labels' | 'taints'>): SeenNode {
  return {
    labels: new Map(Object.entries(labels)),
    taints: new Map(taints.map(({ key, effect, value }) => [`${key}:${effect}`, value])),
  };
}

/** No answer is one, too. */
async function orUnknown<T, U = undefined>(asked: Promise<T>, unknown?: U): Promise<T | U> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiFailure) return unknown as U;
    throw error;
  }
}
