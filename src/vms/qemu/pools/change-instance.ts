// vms/qemu/pools/change-instance.ts: protect, tag and reimage an instance, and change its user data.

import type { CallOptions } from '../../../base/call-options.ts';
import { withLock } from '../../../host/locks.ts';
import type { InstanceRef, PoolRef, Protection } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import {
  allRecordsOf,
  instanceRecordOf,
  poolRecordOf,
  writeInstanceRecord,
  writePoolRecord,
} from '../home/instance-records.ts';
import { homeLock } from '../home/layout.ts';
import { lockPool } from '../home/pool-lock.ts';
import type { InstanceRecord } from '../home/records.ts';
import { resolveVersion, verifyVersion } from '../home/version-records.ts';
import { removeNode } from './admission.ts';
import { machineOf } from './instances.ts';
import { fieldsFromModel } from './make-instance.ts';
import { checkSpec } from './pools.ts';
import { startInstance } from './power.ts';
import { tagsAfter } from './tags.ts';

export async function setProtection(
  context: QemuContext,
  ref: InstanceRef,
  { fromScaleIn, fromPoolActions }: Protection,
  options?: CallOptions,
): Promise<void> {
  await change(context, ref, options, (record) => ({ ...record, protection: { fromScaleIn, fromPoolActions } }));
}

export async function tagInstance(
  context: QemuContext,
  ref: InstanceRef,
  tags: Readonly<Record<string, string | null>>,
  options?: CallOptions,
): Promise<void> {
  await change(context, ref, options, (record) => ({ ...record, tags: tagsAfter(record.tags, tags) }));
}

/** Running guests see the change in their metadata immediately. */
export async function setUserData(
  context: QemuContext,
  target: PoolRef | InstanceRef,
  userData: string | null,
  options?: CallOptions,
): Promise<void> {
  if ('pool' in target) {
    const given = checkedUserData(context, target.pool, userData);
    return change(context, target, options, ({ userData: _, ...record }) => ({ ...record, ...given }));
  }
  const given = checkedUserData(context, target, userData);
  await lockPool(context.home, target, `changing the user data of ${target.name}`, options, async () => {
    const {
      spec: { userData: _, ...spec },
      ...record
    } = poolRecordOf(context.home, target);
    const pool = writePoolRecord(context.home, { ...record, spec: { ...spec, ...given } });
    for (const instance of allRecordsOf(context.home, target)) writeInstanceRecord(context.home, pool, instance);
  });
}

/** The instance keeps its name, address and VM id. It is started again if it was running. */
export async function reimage(context: QemuContext, ref: InstanceRef, options: CallOptions = {}): Promise<void> {
  const { home, machines } = context;
  const { signal, onWaiting } = options;
  const { image } = poolRecordOf(home, ref.pool).spec;
  instanceRecordOf(home, ref);
  onWaiting?.('the checksums of the image');
  await verifyVersion(home, resolveVersion(home, image).id, signal);
  await lockPool(context.home, ref.pool, `reimaging ${ref.id}`, options, async () => {
    const pool = poolRecordOf(home, ref.pool);
    const record = instanceRecordOf(home, ref);
    // The disk is discarded, so there is no need for a clean shutdown.
    await machines.end(machineOf(home, ref, record));
    await removeNode(context, ref, options);
    // From here on the old disk is invalid: if we are killed, the next start makes the new disk.
    await withLock(context.home, { name: homeLock, why: `reimaging ${ref.id}` }, options, async () => {
      writeInstanceRecord(home, pool, { ...record, ...fieldsFromModel(home, pool), isBlank: true });
    });
    if (record.wanted === 'running') await startInstance(context, ref, options);
  });
}

async function change(
  context: QemuContext,
  ref: InstanceRef,
  options: CallOptions | undefined,
  edit: (record: InstanceRecord) => InstanceRecord,
): Promise<void> {
  const { home } = context;
  instanceRecordOf(home, ref);
  await lockPool(context.home, ref.pool, `changing ${ref.id}`, options, async () => {
    writeInstanceRecord(home, poolRecordOf(home, ref.pool), edit(instanceRecordOf(home, ref)));
  });
}

function checkedUserData({ home }: QemuContext, pool: PoolRef, userData: string | null): { userData?: string } {
  if (userData === null) return {};
  const { spec } = poolRecordOf(home, pool);
  const { userData: checked } = checkSpec({ ...spec, userData });
  return checked === undefined ? {} : { userData: checked };
}
