// vms/qemu/pools/capacity.ts: scale a pool: make and start instances, or delete the newest.

import type { CallOptions } from '../../../base/call-options.ts';
import { UserError } from '../../../base/errors.ts';
import { Refused } from '../../../base/failures.ts';
import { removeAtomically } from '../../../host/whole-folders.ts';
import type { Instance, InstanceRef, PoolRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { ensureSpace } from '../home/ensure-space.ts';
import { instanceRecordsOf, poolRecordOf, readInstanceRecord, writePoolRecord } from '../home/instance-records.ts';
import { instanceFolder } from '../home/layout.ts';
import { lockPool } from '../home/pool-lock.ts';
import type { InstanceRecord } from '../home/records.ts';
import { resolveVersion, verifyVersion } from '../home/version-records.ts';
import { removeNode } from './admission.ts';
import { machineOf, readInstance } from './instances.ts';
import { makeInstance } from './make-instance.ts';
import { startInstance } from './power.ts';

/** The least that a guest writes while it boots. */
const FIRST_BOOT_BYTES = 64 << 20;

/** Returns the new instances, started but not yet up. */
export async function setCapacity(
  context: QemuContext,
  pool: PoolRef,
  capacity: number,
  options: CallOptions = {},
): Promise<Instance[]> {
  if (!Number.isInteger(capacity) || capacity < 0)
    throw new UserError(`a pool cannot have ${capacity} instances`, { code: 'vms/bad-capacity' });
  const { home } = context;
  poolRecordOf(home, pool);
  const started = await lockPool(context.home, pool, `scaling ${pool.name} to ${capacity}`, options, async () => {
    poolRecordOf(home, pool);
    const before = instanceRecordsOf(home, pool);
    await shrink(context, pool, before, before.length - capacity, options);
    return [
      ...(await startUnstarted(context, pool, options)),
      ...(await grow(context, pool, capacity - before.length, options)),
    ];
  });
  const seen = await Promise.all(started.map((ref) => readInstance(context, ref)));
  return seen.filter((one) => one !== undefined);
}

/** Succeeds when the instance does not exist. */
export async function deleteInstance(context: QemuContext, ref: InstanceRef, options?: CallOptions): Promise<void> {
  poolRecordOf(context.home, ref.pool);
  await lockPool(context.home, ref.pool, `deleting ${ref.id}`, options, async () => {
    await removeInstance(context, ref, options);
    writePoolRecord(context.home, poolRecordOf(context.home, ref.pool));
  });
}

/** Starts the instances that a killed command made or reimaged but did not start. */
async function startUnstarted(context: QemuContext, pool: PoolRef, options: CallOptions): Promise<InstanceRef[]> {
  const refs = instanceRecordsOf(context.home, pool)
    .filter(({ isNew, isBlank, wanted }) => (isNew || isBlank) && wanted === 'running')
    .map(({ id }) => ({ pool, id }));
  for (const ref of refs) await startInstance(context, ref, options);
  return refs;
}

async function grow(context: QemuContext, pool: PoolRef, count: number, options: CallOptions): Promise<InstanceRef[]> {
  const { home } = context;
  if (count <= 0) return [];
  await ensureSpace(context, count * FIRST_BOOT_BYTES, `${count} more of pool ${pool.name}`);
  options.onWaiting?.('the checksums of the image');
  await verifyVersion(home, resolveVersion(home, poolRecordOf(home, pool).spec.image).id, options.signal);
  const made: InstanceRef[] = [];
  for (let i = 0; i < count; i++) {
    options.signal?.throwIfAborted();
    const record = poolRecordOf(home, pool);
    // Count up first: a number is never used twice, even if we are killed here.
    const after = writePoolRecord(home, { ...record, nextInstance: record.nextInstance + 1 });
    const ref = await makeInstance(context, after, record.nextInstance, options);
    try {
      await startInstance(context, ref, options);
    } catch (error) {
      await removeInstance(context, ref, options);
      throw error;
    }
    made.push(ref);
  }
  return made;
}

/** Deletes the newest first. */
async function shrink(
  context: QemuContext,
  pool: PoolRef,
  records: readonly InstanceRecord[],
  count: number,
  options: CallOptions,
): Promise<void> {
  if (count <= 0) return;
  const free = records.filter(({ protection }) => !protection.fromScaleIn).reverse();
  if (free.length < count)
    throw new Refused(
      `cannot delete ${count} instances of ${pool.name}: only ${free.length} are not protected from scale-in`,
      'vms/protected',
    );
  for (const { id } of free.slice(0, count)) {
    options.signal?.throwIfAborted();
    options.onWaiting?.(`${id} to be terminated`);
    await removeInstance(context, { pool, id }, options);
  }
  writePoolRecord(context.home, poolRecordOf(context.home, pool));
}

async function removeInstance(context: QemuContext, ref: InstanceRef, options?: CallOptions): Promise<void> {
  const record = readInstanceRecord(context.home, ref);
  if (!record) return;
  await context.machines.end(machineOf(context.home, ref, record));
  // Before the record is deleted: if we are killed here, the next command finds the instance and repeats this.
  await removeNode(context, ref, options);
  await removeAtomically(instanceFolder(context.home, ref));
}
