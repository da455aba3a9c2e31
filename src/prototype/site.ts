// prototype/site.ts: where does a prototype verb work? With the VMs, the cluster whose nodes they are, and the gallery.
import type { Cluster } from '../cluster/cluster.ts';
import type { Factory } from '../vms/factory.ts';
import type { PoolRef } from '../vms/pools.ts';
import type { ScriptChannel } from './donor/inspect/inspect-donor.ts';

export interface Site {
  factory: Factory;
  cluster: Cluster;
  /** false: the instances join no cluster. */
  hasCluster: boolean;
  /** What a script on a node prints goes through a pod's log, or to us alone. */
  channel: ScriptChannel;
  /** Each instance gets the credential it joins with when it starts: a clone needs none of the donor's. */
  givesCredentials?: boolean;
  /** Absent where only the nodes of the cluster tell which pools there are. */
  pools?: (signal?: AbortSignal) => Promise<readonly PoolRef[]>;
  gallery: string;
}
