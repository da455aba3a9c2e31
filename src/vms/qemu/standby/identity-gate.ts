// vms/qemu/standby/identity-gate.ts: an instance must not be parked when it shares what identifies it with another instance of its pool.
import type { CallOptions } from '../../../base/call-options.ts';
import { TransientError, UserError } from '../../../base/errors.ts';
import { isKnown, type MachineIdentity } from '../../../identity/identity.ts';
import type { FactName } from '../../../identity/items.ts';
import { judgeDistinct } from '../../../identity/judge-distinct.ts';
import type { InstanceRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { runInGuest } from '../guest/guest.ts';
import { readIdentity } from '../guest/read-identity.ts';
import { allRecordsOf, poolRecordOf } from '../home/instance-records.ts';
import { instanceFolder } from '../home/layout.ts';
import type { InstanceRecord } from '../home/records.ts';
import { machineOf } from '../pools/instances.ts';
import { keepIdentity, readKeptIdentity } from './identity-record.ts';

/** Every guest has these; without them there is nothing to compare. */
const REQUIRED: readonly FactName[] = ['machine-id', 'boot-id', 'host-name', 'random-bytes'];
const REQUIRED_OF_A_NODE: readonly FactName[] = ['kubelet-key', 'kubelet-certificate', 'node-name'];
/** Guests that are asked at the same time: each takes a moment of a processor. */
const AT_ONCE = 4;

/** Keeps what identifies the instance. Throws when it is not distinct, or cannot be shown to be. */
export async function requireDistinct(context: QemuContext, ref: InstanceRef, options: CallOptions): Promise<void> {
  const { home, clock } = context;
  options.onWaiting?.(`${ref.id} to say what identifies it`);
  const folder = instanceFolder(home, ref);
  const takenMs = clock.nowMs();
  const own = await ask(context, ref, options);
  if (!own)
    throw notDistinct(`what identifies ${ref.id} could not be read: its guest did not run the script to its end`);
  const { cluster } = poolRecordOf(home, ref.pool).spec;
  for (const item of [...REQUIRED, ...(cluster === undefined ? [] : REQUIRED_OF_A_NODE)]) {
    const fact = own.facts[item];
    if (!isKnown(fact)) throw notDistinct(`the ${item} of ${ref.id} is unknown: ${fact.unknown}`);
  }
  const { shared } = judgeDistinct([own, ...(await othersOf(context, ref, options))]);
  // What two others share is not the fault of this one.
  const ours = shared.filter(({ machines }) => machines.includes(ref.id));
  if (ours.length > 0) throw notDistinct(ours.map(({ what }) => what).join('; '), ours[0]!.remedy);
  keepIdentity(folder, { takenMs, identity: own });
}

/** In service and parked. An instance that is off and was never parked, or does not answer, cannot be compared. */
async function othersOf(context: QemuContext, ref: InstanceRef, options: CallOptions): Promise<MachineIdentity[]> {
  const others = allRecordsOf(context.home, ref.pool).filter(({ id }) => id !== ref.id);
  const found: (MachineIdentity | undefined)[] = [];
  for (let at = 0; at < others.length; at += AT_ONCE) {
    const some = others.slice(at, at + AT_ONCE);
    found.push(...(await Promise.all(some.map((record) => identityOf(context, ref, record, options)))));
  }
  return found.filter((one) => one !== undefined);
}

/** Kept facts are of its boot when they are younger than its start. */
async function identityOf(
  context: QemuContext,
  { pool }: InstanceRef,
  record: InstanceRecord,
  options: CallOptions,
): Promise<MachineIdentity | undefined> {
  const other = { pool, id: record.id };
  const kept = readKeptIdentity(instanceFolder(context.home, other));
  if (kept && kept.takenMs >= (record.startedMs ?? 0)) return kept.identity;
  if ((await context.machines.state(machineOf(context.home, other, record))) !== 'running') return kept?.identity;
  try {
    return (await ask(context, other, options)) ?? kept?.identity;
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof TransientError || error instanceof UserError) return kept?.identity;
    throw error;
  }
}

async function ask(context: QemuContext, ref: InstanceRef, options: CallOptions): Promise<MachineIdentity | undefined> {
  const folder = instanceFolder(context.home, ref);
  const parsed = await readIdentity((argv, limits) => runInGuest(context, folder, argv, limits), ref.id, options);
  return parsed?.identity;
}

function notDistinct(message: string, remedy?: string): UserError {
  return new UserError(message, {
    code: 'vms/not-distinct',
    kept: 'The instance was discarded; no other instance was changed.',
    next: remedy ?? 'headstart node distinct --pool POOL compares the instances of the pool',
    exitCode: 1,
  });
}
