// local/cluster-pools.ts: which pools of this home belong to a given cluster?

import { UserError } from '../base/errors.ts';
import type { ClusterPlace } from '../cluster/local/cluster-files.ts';
import { visibleIn } from '../host/whole-folders.ts';
import type { PoolRef } from '../vms/pools.ts';
import { readPoolRecord } from '../vms/qemu/home/instance-records.ts';
import { poolRef, poolsFolder } from '../vms/qemu/home/layout.ts';

/** A generator, so that a caller that stops early never reads a broken record further on. */
export function* poolsOfCluster({ home, name }: ClusterPlace): Generator<PoolRef> {
  for (const pool of visibleIn(poolsFolder(home)).map(poolRef)) {
    if (readPoolRecord(home, pool)?.spec.cluster === name) yield pool;
  }
}

/** A cluster with pools must not be deleted: their VMs would keep running, and no later cluster would accept them. */
export function refuseWithPools(place: ClusterPlace): void {
  const pools = [...poolsOfCluster(place)].map((pool) => pool.name);
  if (pools.length === 0) return;
  throw new UserError(
    `${pools.join(', ')} ${pools.length === 1 ? 'is a pool' : 'are pools'} of cluster ${place.name}`,
    {
      code: 'cluster/has-pools',
      kept: 'Nothing was changed.',
      next: pools.map((pool) => `headstart pool delete ${pool}`).join('; '),
      exitCode: 1,
    },
  );
}
