// vms/qemu/standby/await-claimed.ts: wait for nodes that were claimed a moment ago, before a refill takes the machine from them.
import type { CallOptions } from '../../../base/call-options.ts';
import type { PoolRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { instanceRecordsOf, poolRecordOf } from '../home/instance-records.ts';

/** A claimed node is Ready within seconds. One that has to boot is not waited for longer. */
const MOST_MS = 60_000;
const LOOK_EVERY_MS = 500;

export async function awaitClaimed(context: QemuContext, pool: PoolRef, options: CallOptions): Promise<void> {
  const { home, clock, joinCluster } = context;
  const { cluster } = poolRecordOf(home, pool).spec;
  if (cluster === undefined || !joinCluster) return;
  for (;;) {
    const young = instanceRecordsOf(home, pool).filter(
      ({ wanted, startedMs = 0 }) => wanted === 'running' && Math.abs(clock.nowMs() - startedMs) < MOST_MS,
    );
    const ready = await Promise.all(young.map(({ id }) => joinCluster.isReady(cluster, { pool, id }, options)));
    const waiting = young.filter((_, i) => !ready[i]);
    if (waiting.length === 0) return;
    options.onWaiting?.(`${waiting.map(({ id }) => id).join(', ')} to be Ready`);
    await clock.sleep(LOOK_EVERY_MS, options.signal);
  }
}
