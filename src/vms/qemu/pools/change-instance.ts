// vms/qemu/pools/change-instance.ts: marks on an instance, its user data, and a new disk for it.

import type { CallOptions } from '../../../base/call-options.ts';
import { withLock } from '../../../host/locks.ts';
import type { InstanceRef, PoolRef, Protection } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import {
  instanceRecordOf,
  instanceRecordsOf,
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

/** Shows up in the metadata of running guests at once. */
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
    for (const instance of instanceRecordsOf(context.home, target)) writeInstanceRecord(context.home, pool, instance);
  });
}

/** It keeps its name, address and VM id; one that ran is started again. */
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
    // What is on the disk is not wanted any more, so the guest is not asked.
    await machines.end(machineOf(home, ref, record));
    await removeNode(context, ref, options);
    // From here on the old disk counts for nothing: whoever starts the instance next makes the new one, should we not get to it.
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
