// vms/qemu/pools/remove-instance.ts: delete an instance: its process, its node, its files.
import type { CallOptions } from '../../../base/call-options.ts';
import { removeAtomically } from '../../../host/whole-folders.ts';
import type { InstanceRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { readInstanceRecord } from '../home/instance-records.ts';
import { instanceFolder } from '../home/layout.ts';
import { removeNode } from './admission.ts';
import { machineOf } from './instances.ts';

/** Succeeds when the instance does not exist. The caller must hold the pool's lock. */
export async function removeInstance(context: QemuContext, ref: InstanceRef, options?: CallOptions): Promise<void> {
  const record = readInstanceRecord(context.home, ref);
  if (!record) return;
  await context.machines.end(machineOf(context.home, ref, record));
  // Before the record is deleted: if we are killed here, the next command finds the instance and repeats this.
  await removeNode(context, ref, options);
  await removeAtomically(instanceFolder(context.home, ref));
}
