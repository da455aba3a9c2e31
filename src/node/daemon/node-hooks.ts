// node/daemon/node-hooks.ts: which parts of a change need the Node's credential? Labels, the health of the Node, and
// the drain.
import { ApiFailure } from '../api/api-server.ts';
import type { NodeObject, OwnNode } from '../api/own-node.ts';
import type { NodeHealth, NodeHooks } from '../apply/contract.ts';
import type { NodeLabelsAndTaints } from '../observe/live-values.ts';
import { drainSelf, type SelfDrainDeps, uncordonSelf } from './drain-self.ts';

export interface HookDeps extends SelfDrainDeps {
  node: OwnNode;
  /** Without a credential the API server is not called: that would delay the start of kubelet. */
  hasCredential(): boolean;
  /** Pods may run here, even if the API server cannot be reached. */
  hasJoined(): boolean;
}

export function nodeHooks(deps: HookDeps): NodeHooks & { health(): Promise<NodeHealth> } {
  const { node, hasCredential } = deps;
  return {
    async seen() {
      if (!hasCredential()) return undefined;
      const found = await orUnknown(node.get());
      return found && seenOf(found);
    },
    async health() {
      if (!hasCredential()) return { isReachable: false };
      try {
        const ready = (await node.get())?.ready;
        return { isReachable: true, isReady: ready?.isReady === true, heartbeatMs: ready?.heartbeatMs };
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error;
        return isBusy(error) ? { isReachable: true, isReady: undefined } : { isReachable: false };
      }
    },
    setLabel: (key, value) => node.patchMetadata({ labels: { [key]: value ?? null } }),
    async drain(signal) {
      if (deps.hasJoined()) await drainSelf(deps, signal);
    },
    uncordon: () => uncordonSelf(deps),
  };
}

export function seenOf({ labels, taints }: Pick<NodeObject, 'labels' | 'taints'>): NodeLabelsAndTaints {
  return {
    labels: new Map(Object.entries(labels)),
    taints: new Map(taints.map(({ key, effect, value }) => [`${key}:${effect}`, value])),
  };
}

/** The API server is reachable and has a problem that this node did not cause. */
function isBusy({ status }: ApiFailure): boolean {
  return status !== undefined && (status === 429 || status >= 500);
}

async function orUnknown<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiFailure) return undefined;
    throw error;
  }
}
