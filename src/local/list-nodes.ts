// local/list-nodes.ts: which Nodes does a local cluster have?
import { systemClock } from '../base/clock.ts';
import type { Node } from '../cluster/cluster.ts';
import { type ClusterPlace, clusterFiles, readClusterRecord } from '../cluster/local/cluster-files.ts';
import { noSuchCluster } from '../cluster/local/no-such-cluster.ts';

/** Throws a `TransientError` when the API server does not answer. */
export async function listLocalNodes(place: ClusterPlace): Promise<Node[]> {
  if (!readClusterRecord(place)) throw noSuchCluster(place);
  const { kubernetesCluster } = await import('../cluster/kubernetes/cluster.ts');
  return (await kubernetesCluster({ kubeconfig: clusterFiles(place).kubeconfig, clock: systemClock })).listNodes();
}
