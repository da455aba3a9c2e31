// vms/qemu/standby/keep-standby.ts: read, set and delete the standby instances of a pool, and prepare those that are missing.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { CallOptions } from '../../../base/call-options.ts';
import { UserError } from '../../../base/errors.ts';
import { Conflict, NotFound, Refused } from '../../../base/failures.ts';
import { isFull } from '../../../host/json-file.ts';
import { withLock, withLockIfFree } from '../../../host/locks.ts';
import type { PoolRef } from '../../pools.ts';
import type { SetStandbyOptions, StandbyMember, StandbyPolicy, StandbyState } from '../../standby.ts';
import type { QemuContext } from '../context.ts';
import { poolRecordOf, readPoolRecord, standbyRecordsOf, writePoolRecord } from '../home/instance-records.ts';
import { poolFolder, standbyLock, standbyTrouble } from '../home/layout.ts';
import { lockPool } from '../home/pool-lock.ts';
import { readHomeRecord, unlessDamaged, writeHomeRecord } from '../home/record-file.ts';
import { poolRecordSchema } from '../home/records.ts';
import type { FillOptions, FillResult } from '../local-provider.ts';
import { removeInstance, removeWithNode } from '../pools/remove-instance.ts';
import { awaitClaimed } from './await-claimed.ts';
import { memberUse } from './member-use.ts';
import { judgeMembers } from './members.ts';
import { needsRefill } from './needs-refill.ts';
import { type JudgedMember, planRefill } from './plan-refill.ts';
import { prepareMember } from './prepare.ts';

/** An instance that is too old as soon as it is parked would be replaced for ever. */
const LEAST_AGE_MS = 10 * 60_000;

const troubleSchema = z.object({ atMs: z.number(), message: z.string() });

const NOTHING: StandbyPolicy = { counts: { paused: 0, frozen: 0, stopped: 0 } };

export async function readStandby(context: QemuContext, pool: PoolRef): Promise<StandbyState | undefined> {
  const { standby } = poolRecordOf(context.home, pool);
  const judged = await judgeMembers(context, pool);
  if (!standby && judged.length === 0) return undefined;
  const trouble = readTrouble(context, pool);
  return {
    policy: standby ?? NOTHING,
    members: judged.map(({ id, tier, state, verdict, why, parkedMs }): StandbyMember => {
      const instance = { pool, id };
      const use = memberUse(context, instance);
      if (state === 'preparing') return { instance, tier, state, why: 'it is being prepared', ...use };
      const after = verdict === 'discard' ? 'broken' : 'ready';
      return { instance, tier, state: after, why, ...(parkedMs !== undefined && { parkedMs }), ...use };
    }),
    ...(trouble && { trouble: trouble.message }),
  };
}

/** Undefined also when it cannot be read: the next refill writes it again, or removes it. */
const readTrouble = (context: QemuContext, pool: PoolRef) =>
  unlessDamaged(() => readHomeRecord(troubleFile(context, pool), troubleSchema));

export async function setStandby(
  context: QemuContext,
  pool: PoolRef,
  policy: StandbyPolicy,
  options: SetStandbyOptions = {},
): Promise<void> {
  const { home } = context;
  poolRecordOf(home, pool);
  if (policy.maxAgeMs !== undefined && policy.maxAgeMs < LEAST_AGE_MS)
    throw new Refused(
      `a standby instance must be kept for ${LEAST_AGE_MS / 60_000} minutes or more: preparing one takes minutes`,
      'vms/bad-standby',
    );
  const checked = poolRecordSchema.safeParse({ ...poolRecordOf(home, pool), standby: policy });
  if (!checked.success)
    throw new Refused(
      `invalid standby counts: ${checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`,
      'vms/bad-standby',
    );
  await lockPool(home, pool, `changing the standby policy of ${pool.name}`, options, async () => {
    const record = poolRecordOf(home, pool);
    if ('from' in options && !isSame(options.from, record.standby))
      throw new Conflict(`another command has changed which standby instances pool ${pool.name} keeps`);
    writePoolRecord(home, { ...record, standby: policy });
  });
}

/** No policy, and one that keeps nothing, are read alike. */
function isSame(a: StandbyPolicy | undefined, b: StandbyPolicy | undefined): boolean {
  return isDeepStrictEqual(a ?? NOTHING, b ?? NOTHING);
}

export async function deleteStandby(context: QemuContext, pool: PoolRef, options: CallOptions = {}): Promise<void> {
  const { home } = context;
  poolRecordOf(home, pool);
  await lockPool(home, pool, `deleting the standby instances of ${pool.name}`, options, async () => {
    const { standby: _, ...record } = poolRecordOf(home, pool);
    writePoolRecord(home, record);
    for (const { id } of standbyRecordsOf(home, pool)) {
      options.onWaiting?.(`${id} to be deleted`);
      await removeInstance(context, { pool, id }, options);
    }
    rmSync(troubleFile(context, pool), { force: true });
  });
}

export async function fillStandby(context: QemuContext, pool: PoolRef, options: FillOptions = {}): Promise<FillResult> {
  const { home } = context;
  poolRecordOf(home, pool);
  const result: FillResult = { prepared: [], discarded: [], isBusy: true };
  // Preparing one takes minutes, and a pool may keep many.
  const lock = {
    ...{ name: standbyLock(pool.name), why: `preparing standby instances of ${pool.name}` },
    giveUpAfterMs: Number.POSITIVE_INFINITY,
  };
  const fill = async () => {
    result.isBusy = false;
    await fillAll(context, pool, options, result);
  };
  if (options.ifBusy !== 'leave') {
    await withLock(home, lock, options, fill);
    return result;
  }
  await awaitClaimed(context, pool, options);
  // A claim during the last round left its place to us; it is visible at the latest when the lock is free.
  do {
    result.isBusy = true;
    await withLockIfFree(home, lock, fill);
  } while (!result.isBusy && (await needsRefill(context, pool)));
  return result;
}

async function fillAll(context: QemuContext, pool: PoolRef, options: FillOptions, result: FillResult): Promise<void> {
  try {
    let losses = 0;
    for (let before: FillStep | undefined; ; ) {
      const step = await fillOnce(context, pool, options, result);
      if (!step) break;
      if (step.did === 'lost' && before?.did === 'prepared' && ++losses === MOST_LOSSES) throw lost(pool, step.member);
      before = step;
    }
    rmSync(troubleFile(context, pool), { force: true });
  } catch (cause) {
    options.signal?.throwIfAborted();
    const record = readPoolRecord(context.home, pool);
    if (!record) throw new NotFound(`pool ${pool.name}`, cause);
    if (!record.standby) return; // another command deleted the instance that this one was preparing
    const failure = isFull(cause) ? noSpace(pool, cause) : cause;
    const message = failure instanceof Error ? failure.message : String(failure);
    writeHomeRecord(troubleFile(context, pool), { atMs: context.clock.nowMs(), message });
    throw failure;
  }
}

export async function refill(context: QemuContext, pool: PoolRef): Promise<void> {
  context.refill?.(pool);
}

/** `lost`: this command has prepared it, and it cannot be claimed any more. */
type FillStep = { did: 'prepared' } | { did: 'discarded' } | { did: 'lost'; member: JudgedMember };

/** One change at a time: the policy, the pool and its instances may change meanwhile. Undefined when nothing is left to do. */
async function fillOnce(
  context: QemuContext,
  pool: PoolRef,
  options: FillOptions,
  result: FillResult,
): Promise<FillStep | undefined> {
  const { home } = context;
  options.signal?.throwIfAborted();
  const { standby } = poolRecordOf(home, pool);
  // Another command deleted the policy.
  if (!standby) return undefined;
  const plan = planRefill(await judgeMembers(context, pool), standby.counts);
  const [useless] = plan.discard;
  const [tier] = plan.prepare;
  const [old] = plan.refresh;
  if (useless) {
    options.onStep?.(`discarding ${useless.id} (${useless.tier}): ${useless.why}`);
    await discard(context, pool, useless.id, options);
    result.discarded.push({ pool, id: useless.id });
    const isOwn = useless.verdict === 'discard' && result.prepared.some(({ id }) => id === useless.id);
    return isOwn ? { did: 'lost', member: useless } : { did: 'discarded' };
  }
  const next = tier ?? old?.tier;
  if (next === undefined) return undefined;
  options.onStep?.(tier ? `preparing one ${next}` : `preparing one ${next}, to replace ${old?.id}: ${old?.why}`);
  result.prepared.push(await prepareMember(context, pool, next, options));
  // The next round finds one too many of this tier, and discards the one that is not up to date.
  return { did: 'prepared' };
}

/** A change of the model makes all that were prepared useless, once. Losing one after each that is prepared would go on for ever. */
const MOST_LOSSES = 3;

function lost({ name }: PoolRef, { id, tier, why }: JudgedMember): UserError {
  return new UserError(
    `standby instances of pool ${name} are lost as fast as they are prepared; the last one: ${id} (${tier}), ${why}`,
    { code: 'vms/standby-lost', next: `headstart standby status ${name}`, exitCode: 1 },
  );
}

function noSpace(pool: PoolRef, cause: unknown): UserError {
  return new UserError(`the disk is full, so no standby instance of pool ${pool.name} could be prepared`, {
    code: 'vms/no-space',
    kept: 'Standby instances that are parked stay.',
    next: `free some space, then run \`headstart standby up ${pool.name}\` again`,
    exitCode: 1,
    cause,
  });
}

/** Only if it is still a standby instance: it may have been claimed since. */
async function discard(context: QemuContext, pool: PoolRef, id: string, options: CallOptions): Promise<void> {
  await lockPool(context.home, pool, `discarding ${id}`, options, async () => {
    if (standbyRecordsOf(context.home, pool).some((record) => record.id === id))
      await removeWithNode(context, { pool, id }, options);
  });
}

const troubleFile = ({ home }: QemuContext, pool: PoolRef) => join(poolFolder(home, pool.name), standbyTrouble);
