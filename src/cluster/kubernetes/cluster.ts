// cluster/kubernetes/cluster.ts: implements the contract for the cluster of a kubeconfig or of this pod.
import type { Cluster } from '../cluster.ts';
import { tokenCalls } from './bootstrap-tokens.ts';
import { connectCluster, type KubeConnectOptions } from './connect.ts';
import { eventCalls } from './events.ts';
import type { HelperOptions } from './helper-pod.ts';
import { leaseCalls } from './leases.ts';
import { nodeCalls } from './nodes.ts';
import { podCalls } from './pods.ts';
import { runCalls } from './run-on-node.ts';
import { secretCalls } from './secrets.ts';

export interface KubernetesOptions extends KubeConnectOptions {
  /** The pod that runs scripts on a node. Only runOnNode uses it. */
  helper?: HelperOptions | undefined;
}

/** Loads the official client, which is heavy: call it only in verbs that need a cluster. */
export async function kubernetesCluster(options: KubernetesOptions): Promise<Cluster> {
  const client = await connectCluster(options);
  return {
    ...nodeCalls(client),
    ...podCalls(client),
    ...leaseCalls(client),
    ...secretCalls(client),
    ...tokenCalls(client),
    ...runCalls(client, options.helper),
    ...eventCalls(client),
  };
}
