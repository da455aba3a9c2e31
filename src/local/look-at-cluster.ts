// local/look-at-cluster.ts: what does its cluster still know of how a node came up, that nobody noted then?
import { systemClock } from '../base/clock.ts';
import type { JoinEvent } from '../cluster/kubernetes/join-events.ts';
import { clusterFiles, readClusterRecord } from '../cluster/local/cluster-files.ts';

export interface Look {
  cluster: string;
  nodeName: string;
  startedMs: number;
  signal: AbortSignal;
}
export type LookAtCluster = (look: Look) => Promise<JoinEvent[]>;

/** A cluster of this home. Throws a TransientError when it does not answer; one that is gone knows nothing. */
export function lookAtLocalCluster(home: string): LookAtCluster {
  return async ({ cluster, ...look }) => {
    const place = { home, name: cluster };
    if (!readClusterRecord(place)) return [];
    const { readJoinEvents } = await import('../cluster/kubernetes/watch-joining.ts');
    return readJoinEvents({ ...look, kubeconfig: clusterFiles(place).kubeconfig, clock: systemClock });
  };
}
