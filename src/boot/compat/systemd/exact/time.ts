// boot/compat/systemd/exact/time.ts: what does `systemd-analyze time` print, byte for byte?

import { defaultTarget, namedUnit } from '../../../model/default-target.ts';
import type { BootRecord } from '../../../model/record.ts';
import type { Behaviour } from '../versions.ts';
import { acquireBootTimes, type SystemdBootTimes } from './times.ts';
import { formatUnsigned, type ToolOutput, toolOutput } from './tool-output.ts';

export function compatTime(record: BootRecord, behaviour: Behaviour): ToolOutput {
  const acquired = acquireBootTimes(record, behaviour, true);
  if ('stopped' in acquired) return acquired.stopped;
  return toolOutput(`${bootTimeText(record, acquired.boot, behaviour)}\n`);
}

/** The two lines without the last newline; the plot contains them too. */
export function bootTimeText(record: BootRecord, boot: SystemdBootTimes, behaviour: Behaviour): string {
  const shutdown = behaviour.readsPreviousShutdown ? shutdownPhases(boot) : [];
  const parts = shutdown.map(({ name, us }) => `${formatUnsigned(us)} (${name}) + `);
  if (boot.firmwareUs > 0) parts.push(`${formatUnsigned(boot.firmwareUs - boot.loaderUs)} (firmware) + `);
  if (boot.loaderUs > 0) parts.push(`${formatUnsigned(boot.loaderUs)} (loader) + `);
  if (boot.kernelDoneUs > 0) parts.push(`${formatUnsigned(boot.kernelDoneUs)} (kernel) + `);
  if (boot.initrdUs > 0) parts.push(`${formatUnsigned(boot.userspaceUs - boot.initrdUs)} (initrd) + `);
  if (boot.softRebootsCount > 0) {
    parts.push(`${formatUnsigned(boot.userspaceUs)} (soft reboot #${boot.softRebootsCount}) + `);
  }
  parts.push(`${formatUnsigned(boot.finishUs - boot.userspaceUs)} (userspace) `); // the real tool prints this blank
  const shutdownUs = shutdown.reduce((sum, { us }) => sum + us, 0);
  if (boot.kernelDoneUs > 0) parts.push(`= ${formatUnsigned(shutdownUs + boot.firmwareUs + boot.finishUs)} `);
  return `Startup finished in ${parts.join('')}\n${targetLine(record, boot)}${behaviour.hasFullStop ? '.' : ''}`;
}

/** The shutdown before a live update, which keeps its stamps; empty unless all four are set. */
function shutdownPhases({ previousShutdown }: SystemdBootTimes): { name: string; us: number }[] {
  if (!previousShutdown) return [];
  const { startUs, finishUs, lateStartUs, lateFinishUs } = previousShutdown;
  if ([startUs, finishUs, lateStartUs, lateFinishUs].includes(0)) return [];
  return [
    { name: 'stopping', us: Math.max(0, finishUs - startUs) },
    { name: 'exit', us: Math.max(0, lateStartUs - finishUs) },
    { name: 'systemd-shutdown', us: Math.max(0, lateFinishUs - lateStartUs) },
  ];
}

function targetLine(record: BootRecord, boot: SystemdBootTimes): string {
  // The manager creates a unit for an unknown name, so default.target always exists.
  const name = defaultTarget(record) ?? 'default.target';
  const activatedUs = namedUnit(record, name)?.activatedUs ?? 0;
  if (activatedUs === 0) return `${name} was never reached`;
  const isSoftReboot = boot.softRebootsCount > 0 && boot.userspaceUs > 0;
  const baseUs = isSoftReboot
    ? boot.userspaceUs + boot.offsetUs
    : boot.userspaceUs > 0
      ? boot.userspaceUs
      : boot.offsetUs;
  return `${name} reached after ${formatUnsigned(activatedUs - baseUs)} in userspace`;
}
