// local/read-cluster-events.ts: read a node's joining events from its cluster, for those that were not logged at the time.
import { systemClock } from '../base/clock.ts';
import type { JoinEvent } from '../cluster/kubernetes/join-events.ts';
import { clusterFiles, readClusterRecord } from '../cluster/local/cluster-files.ts';

export interface ClusterQuery {
  cluster: string;
  nodeName: string;
  startedMs: number;
  signal: AbortSignal;
}
export type ReadClusterEvents = (look: ClusterQuery) => Promise<JoinEvent[]>;

/** For the clusters of this home. Throws a TransientError when the cluster does not answer. Empty when the cluster was deleted. */
export function readLocalClusterEvents(home: string): ReadClusterEvents {
  return async ({ cluster, ...look }) => {
    const place = { home, name: cluster };
    if (!readClusterRecord(place)) return [];
    const { readJoinEvents } = await import('../cluster/kubernetes/watch-joining.ts');
    return readJoinEvents({ ...look, kubeconfig: clusterFiles(place).kubeconfig, clock: systemClock });
  };
}
