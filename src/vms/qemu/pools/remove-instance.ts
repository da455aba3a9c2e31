// vms/qemu/pools/remove-instance.ts: delete an instance: its process, its node, its files.
import type { CallOptions } from '../../../base/call-options.ts';
import { removeAtomically } from '../../../host/whole-folders.ts';
import type { InstanceRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { readInstanceRecord } from '../home/instance-records.ts';
import { instanceFolder } from '../home/layout.ts';
import { forgetNode, removeNode } from './admission.ts';
import { machineOf } from './instances.ts';

/** Succeeds when the instance does not exist, and when its cluster is down. The caller must hold the pool's lock. */
export async function removeInstance(context: QemuContext, ref: InstanceRef, options?: CallOptions): Promise<void> {
  await remove(context, ref, () => removeNode(context, ref, options));
}

/** The same, but fails and keeps the instance's record when its node cannot be removed now. */
export async function removeWithNode(context: QemuContext, ref: InstanceRef, options: CallOptions): Promise<void> {
  await remove(context, ref, () => forgetNode(context, ref, options));
}

async function remove(context: QemuContext, ref: InstanceRef, nodeOf: () => Promise<void>): Promise<void> {
  const record = readInstanceRecord(context.home, ref);
  if (!record) return;
  await context.machines.end(machineOf(context.home, ref, record));
  // Before the record is deleted: if we are killed here, the next command finds the instance and repeats this.
  await nodeOf();
  await removeAtomically(instanceFolder(context.home, ref));
}
