// prototype/site.ts: the VMs, the cluster and the gallery that a prototype verb works with.

import type { Cluster } from '../cluster/cluster.ts';
import type { PoolRef } from '../vms/pools.ts';
import type { VmProvider } from '../vms/provider.ts';
import type { ScriptChannel } from './donor/inspect/inspect-donor.ts';

export interface Site {
  provider: VmProvider;
  cluster: Cluster;
  /** false: the instances join no cluster. */
  hasCluster: boolean;
  /** Whether others can read the output of a script on a node, as they can a pod's log. */
  channel: ScriptChannel;
  /** Each instance gets its join credential when it starts, so a clone needs none from the donor. */
  givesCredentials?: boolean;
  /** Absent if pools can be found only through the nodes of the cluster. */
  pools?: (signal?: AbortSignal) => Promise<readonly PoolRef[]>;
  /** The pools of the configured resource group; some may belong to other clusters. */
  groupPools?: (signal?: AbortSignal) => Promise<readonly PoolRef[]>;
  gallery: string;
}
