// vms/qemu/pools/capacity.ts: scale a pool: make and start instances, or delete the newest.

import type { CallOptions } from '../../../base/call-options.ts';
import { TransientError, UserError } from '../../../base/errors.ts';
import { Refused } from '../../../base/failures.ts';
import type { InstanceRef, PoolRef } from '../../pools.ts';
import { type Claim, type ClaimOptions, fastestFirst } from '../../standby.ts';
import type { QemuContext } from '../context.ts';
import { ensureSpace } from '../home/ensure-space.ts';
import { instanceRecordsOf, poolRecordOf, writePoolRecord } from '../home/instance-records.ts';
import { lockPool } from '../home/pool-lock.ts';
import type { InstanceRecord } from '../home/records.ts';
import { resolveVersion, verifyVersion } from '../home/version-records.ts';
import type { ContinueResult, StartedInstance } from '../local-provider.ts';
import { claimMembers } from '../standby/claim.ts';
import { needsRefill } from '../standby/needs-refill.ts';
import { readInstance } from './instances.ts';
import { makeInstance } from './make-instance.ts';
import { type StartResult, startInstance } from './power.ts';
import { removeInstance } from './remove-instance.ts';

/** The least that a guest writes while it boots. */
const FIRST_BOOT_BYTES = 64 << 20;

/** Returns the new instances, started but not yet up. Standby instances come first. */
export async function setCapacity(
  context: QemuContext,
  pool: PoolRef,
  capacity: number,
  options: CallOptions = {},
): Promise<StartedInstance[]> {
  if (!Number.isInteger(capacity) || capacity < 0)
    throw new UserError(`a pool cannot have ${capacity} instances`, { code: 'vms/bad-capacity' });
  const { home } = context;
  poolRecordOf(home, pool);
  const started = await lockPool(context.home, pool, `scaling ${pool.name} to ${capacity}`, options, async () => {
    poolRecordOf(home, pool);
    const before = instanceRecordsOf(home, pool);
    await shrink(context, pool, before, before.length - capacity, options);
    return startMore(context, pool, capacity - before.length, options);
  });
  return readStarted(context, started);
}

/** Adds instances to those that the pool has when it is locked. */
export async function claim(
  context: QemuContext,
  pool: PoolRef,
  count: number,
  options: ClaimOptions = {},
): Promise<Claim[]> {
  if (!Number.isInteger(count) || count < 1) throw new Refused(`cannot claim ${count} instances`, 'vms/bad-capacity');
  poolRecordOf(context.home, pool);
  const why = `claiming ${count} of ${pool.name}`;
  const started = await lockPool(context.home, pool, why, options, () => startMore(context, pool, count, options));
  return claimsOf(await readStarted(context, started));
}

/** Takes the pool's lock only when there are any: other commands hold it while they start what they made. */
export async function continueUnfinished(
  context: QemuContext,
  pool: PoolRef,
  options: CallOptions = {},
): Promise<ContinueResult> {
  poolRecordOf(context.home, pool);
  if (unstartedOf(context, pool).length === 0) return { claims: [] };
  const why = `continuing instances of ${pool.name}`;
  const { started, failure } = await lockPool(context.home, pool, why, options, () =>
    startUnstarted(context, pool, options),
  );
  return {
    claims: claimsOf(await readStarted(context, started)),
    ...(failure !== undefined && { failure }),
  };
}

function claimsOf(started: readonly StartedInstance[]): Claim[] {
  return started
    .map(
      ({ from, why: reason, ...instance }): Claim => ({
        instance,
        from,
        ...(reason !== undefined && { why: reason }),
      }),
    )
    .sort(fastestFirst);
}

interface StartedRef extends StartResult {
  ref: InstanceRef;
}

async function startMore(
  context: QemuContext,
  pool: PoolRef,
  count: number,
  options: ClaimOptions,
): Promise<StartedRef[]> {
  try {
    return await startEach(context, pool, count, options);
  } finally {
    // Also when some could not be started, or none could be used: their places are free.
    if (!options.leaveEmpty && count > 0 && (await needsRefill(context, pool))) context.refill?.(pool);
  }
}

async function startEach(
  context: QemuContext,
  pool: PoolRef,
  count: number,
  options: CallOptions,
): Promise<StartedRef[]> {
  const { started: unfinished, failure } = await startUnstarted(context, pool, options);
  const claimed = await claimMembers(context, pool, Math.max(0, count), options);
  const made = await grow(context, pool, count - claimed.started.length - claimed.failed.length, options);
  const whyCold = claimed.whyNotMore;
  // One that cannot be finished must not keep the pool from growing, nor the caller from knowing its nodes.
  const failures = [...(failure === undefined ? [] : [failure]), ...claimed.failed.map(({ reason }) => reason)];
  if (failures.length > 0 && claimed.started.length + made.length === 0) throw failures[0];
  for (const error of failures) reportUnfinished(error, options);
  return [
    ...unfinished,
    ...claimed.started,
    ...made.map((ref): StartedRef => ({ ref, from: 'cold', ...(whyCold !== undefined && { why: whyCold }) })),
  ];
}

/** Throws what is a bug. */
function reportUnfinished(error: unknown, { onWaiting }: CallOptions): void {
  if (!(error instanceof UserError || error instanceof TransientError)) throw error;
  onWaiting?.(`an instance that could not be finished, until the next command tries again: ${error.message}`);
}

async function readStarted(context: QemuContext, started: readonly StartedRef[]): Promise<StartedInstance[]> {
  const seen = await Promise.all(
    started.map(async ({ ref, ...how }) => {
      const instance = await readInstance(context, ref);
      return instance && { ...instance, ...how };
    }),
  );
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

/** Starts the instances that a killed command made, claimed or reimaged but did not start. `failure`: of the first that failed. */
async function startUnstarted(
  context: QemuContext,
  pool: PoolRef,
  options: CallOptions,
): Promise<{ started: StartedRef[]; failure: unknown }> {
  const started: StartedRef[] = [];
  let failure: unknown;
  for (const ref of unstartedOf(context, pool)) {
    try {
      started.push({ ref, ...(await startInstance(context, ref, options)) });
    } catch (error) {
      options.signal?.throwIfAborted();
      failure ??= error;
    }
  }
  return { started, failure };
}

function unstartedOf({ home }: QemuContext, pool: PoolRef): InstanceRef[] {
  return instanceRecordsOf(home, pool)
    .filter(({ isNew, isBlank, resume, wanted }) => (isNew || isBlank || resume) && wanted === 'running')
    .map(({ id }) => ({ pool, id }));
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
      await removeInstance(context, ref, {}); // also when the signal is aborted
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
