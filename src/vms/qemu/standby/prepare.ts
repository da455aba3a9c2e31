// vms/qemu/standby/prepare.ts: make one standby instance: make it from the pool's model, boot it, let it join once, check it, and park it.
import type { CallOptions } from '../../../base/call-options.ts';
import { UserError } from '../../../base/errors.ts';
import type { InstanceRef, PoolRef } from '../../pools.ts';
import type { StandbyTier } from '../../standby.ts';
import type { QemuContext } from '../context.ts';
import { awaitUp } from '../guest/up.ts';
import { ensureSpace } from '../home/ensure-space.ts';
import { instanceRecordOf, poolRecordOf, writePoolRecord } from '../home/instance-records.ts';
import { lockPool } from '../home/pool-lock.ts';
import { resolveVersion, verifyVersion } from '../home/version-records.ts';
import { requireJoinCluster } from '../pools/admission.ts';
import { makeInstance } from '../pools/make-instance.ts';
import { startInstance } from '../pools/power.ts';
import { removeWithNode } from '../pools/remove-instance.ts';
import { documentOf } from './document.ts';
import { parkInstance } from './park.ts';
import { findPreparing, type Preparation, preparingRecordOf } from './preparation.ts';

const UP_MS = 15 * 60_000;
/** Of a node that is Ready already. */
const RESERVE_MS = 10_000;
/** What a guest writes to its disk while it boots. */
const FIRST_BOOT_BYTES = 256 << 20;

/** Discards the instance when a step fails. */
export async function prepareMember(
  context: QemuContext,
  pool: PoolRef,
  tier: StandbyTier,
  options: CallOptions,
): Promise<InstanceRef> {
  const preparing = await make(context, pool, tier, options);
  const { ref } = preparing;
  try {
    await lockPool(context.home, pool, `starting ${ref.id}`, options, async () => {
      preparingRecordOf(context.home, preparing);
      await startInstance(context, ref, options);
    });
    await join(context, ref, options);
    await context.checkStandby?.(ref, options);
    await parkInstance(context, preparing, options);
    return ref;
  } catch (error) {
    // The next command repeats it, if it fails here too; the first error says why.
    await discard(context, preparing).catch(() => undefined);
    throw error;
  }
}

async function discard(context: QemuContext, preparing: Preparation): Promise<void> {
  const { home } = context;
  const { ref } = preparing;
  await lockPool(home, ref.pool, `discarding ${ref.id}`, {}, async () => {
    if (findPreparing(home, preparing)) await removeWithNode(context, ref, {});
  });
}

async function make(
  context: QemuContext,
  pool: PoolRef,
  tier: StandbyTier,
  options: CallOptions,
): Promise<Preparation> {
  const { home } = context;
  const { spec } = poolRecordOf(home, pool);
  const memoryBytes = tier === 'frozen' ? spec.size.memoryMb * 2 ** 20 : 0;
  await ensureSpace(context, FIRST_BOOT_BYTES + memoryBytes, `one more standby instance of pool ${pool.name}`);
  options.onWaiting?.('the checksums of the image');
  await verifyVersion(home, resolveVersion(home, spec.image).id, options.signal);
  return lockPool(home, pool, `preparing a standby instance of ${pool.name}`, options, async () => {
    const record = poolRecordOf(home, pool);
    if (!record.standby)
      throw new UserError(`pool ${pool.name} keeps no standby instances any more`, {
        code: 'vms/not-preparing',
        exitCode: 1,
      });
    // Count up first: a number is never used twice, even if we are killed here.
    const after = writePoolRecord(home, { ...record, nextInstance: record.nextInstance + 1 });
    const standby = { tier, state: 'preparing' as const };
    const ref = await makeInstance(context, after, record.nextInstance, { ...options, standby });
    return { ref, vmId: instanceRecordOf(home, ref).vmId, document: documentOf(after) };
  });
}

/** Once, so that it has its own identity and certificate, and its images are loaded. No workload is scheduled on it. */
async function join(context: QemuContext, ref: InstanceRef, options: CallOptions): Promise<void> {
  const { cluster } = poolRecordOf(context.home, ref.pool).spec;
  const end = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, end.signal]) : end.signal;
  const reserved =
    cluster === undefined
      ? Promise.resolve()
      : requireJoinCluster(context, ref, cluster).reserve(cluster, ref, { ...options, signal });
  reserved.catch(() => undefined); // it is awaited below
  try {
    await awaitUp(context, ref, { ...options, deadlineMs: UP_MS });
    // Not for ever: a Node that was deleted since does not come back. Without the taint, the instance is not parked.
    await Promise.race([reserved, context.clock.sleep(RESERVE_MS, signal)]);
  } finally {
    end.abort();
  }
}
