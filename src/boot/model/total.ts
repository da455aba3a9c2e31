// boot/model/total.ts: what is "the boot time" of a record, and from which instant does it count?

import { defaultTarget } from './default-target.ts';
import { milestonesOf } from './milestones.ts';
import { phases } from './phases.ts';
import { type BootRecord, hasStarted, startTookUs } from './record.ts';

/** In order of preference: the first one known is the total. */
export const TOTAL_NAMES = ['node-ready', 'startup-finished', 'default-target'] as const;
export type TotalName = (typeof TOTAL_NAMES)[number];

/** Every end of the boot that the record knows, on its own clock. */
export function endsOf(record: BootRecord): Map<TotalName, number> {
  const milestones = new Map(milestonesOf(record).map(({ name, atUs }) => [name as string, atUs]));
  const target = defaultTarget(record);
  const targetUs = record.units.find((unit) => unit.name === target)?.activatedUs ?? 0;
  if (targetUs > 0) milestones.set('default-target', targetUs);
  return new Map(TOTAL_NAMES.filter((name) => milestones.has(name)).map((name) => [name, milestones.get(name)!]));
}

/** When what is named was there: an end of the boot, any milestone, or a unit by one of its names. */
export function reachedUs(record: BootRecord, name: string): number | undefined {
  const end = endsOf(record).get(name as TotalName) ?? milestonesOf(record).find((one) => one.name === name)?.atUs;
  if (end !== undefined) return end;
  const unit = record.units.find((one) => one.name === name || one.aliases?.includes(name));
  return unit && hasStarted(unit) ? unit.activatingUs + startTookUs(unit) : undefined;
}

/**
 * Where this boot began on the record's clock: the kernel's start; a container's or a soft reboot's own, whose clock has
 * been running for longer. Firmware and loader are the machine's, and only some machines tell them.
 */
export function originUs(record: BootRecord): number {
  return phases(record).find(({ name }) => name !== 'firmware' && name !== 'loader')?.startUs ?? 0;
}
