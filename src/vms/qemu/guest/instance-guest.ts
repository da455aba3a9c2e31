// vms/qemu/guest/instance-guest.ts: the functions of guest.ts, for an instance that must exist.
import type { CallOptions } from '../../../base/call-options.ts';
import type { InstanceRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { instanceRecordOf } from '../home/instance-records.ts';
import { instanceFolder } from '../home/layout.ts';
import type { GuestClockReading, GuestRunOptions, GuestRunResult } from '../local-provider.ts';
import { readGuestClock, runInGuest } from './guest.ts';

export async function runInInstance(
  context: QemuContext,
  instance: InstanceRef,
  argv: readonly [string, ...string[]],
  options: GuestRunOptions,
): Promise<GuestRunResult> {
  return runInGuest(context, folderOf(context, instance), argv, options);
}

export async function readClock(
  context: QemuContext,
  instance: InstanceRef,
  options?: CallOptions,
): Promise<GuestClockReading> {
  return readGuestClock(context, folderOf(context, instance), options?.signal);
}

function folderOf({ home }: QemuContext, instance: InstanceRef): string {
  instanceRecordOf(home, instance);
  return instanceFolder(home, instance);
}
