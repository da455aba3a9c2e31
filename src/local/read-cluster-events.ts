// local/read-cluster-events.ts: what does its cluster still know of how a node came up, that nobody noted then?
import { systemClock } from '../base/clock.ts';
import type { JoinEvent } from '../cluster/kubernetes/join-events.ts';
import { filesOf, readRecord } from '../cluster/local/cluster-files.ts';

export interface ClusterQuery {
  cluster: string;
  nodeName: string;
  startedMs: number;
  signal: AbortSignal;
}
export type ReadClusterEvents = (look: ClusterQuery) => Promise<JoinEvent[]>;

/** A cluster of this home. Throws a TransientError when it does not answer; one that is gone knows nothing. */
export function readLocalClusterEvents(home: string): ReadClusterEvents {
  return async ({ cluster, ...look }) => {
    const place = { home, name: cluster };
    if (!readRecord(place)) return [];
    const { lookAtJoining } = await import('../cluster/kubernetes/watch-joining.ts');
    return lookAtJoining({ ...look, kubeconfig: filesOf(place).kubeconfig, clock: systemClock });
  };
}
