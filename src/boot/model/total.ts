// boot/model/total.ts: what is "the boot time" of a record, and when does it start to count?

import { defaultTarget } from './default-target.ts';
import { milestonesOf } from './milestones.ts';
import { phases } from './phases.ts';
import { type BootRecord, isPlaced, startTookUs } from './record.ts';

/** In order of preference: the first one that the record has is the end of the boot. */
export const TOTAL_NAMES = ['node-ready', 'startup-finished', 'default-target'] as const;
export type TotalName = (typeof TOTAL_NAMES)[number];

/** All ends of the boot in the record, on its clock. */
export function endsOf(record: BootRecord): Map<TotalName, number> {
  const milestones = new Map(milestonesOf(record).map(({ name, atUs }) => [name as string, atUs]));
  const target = defaultTarget(record);
  const targetUs = record.units.find((unit) => unit.name === target)?.activatedUs ?? 0;
  if (targetUs > 0) milestones.set('default-target', targetUs);
  return new Map(TOTAL_NAMES.filter((name) => milestones.has(name)).map((name) => [name, milestones.get(name)!]));
}

/** `name`: an end of the boot, a milestone, or a unit's name or alias. */
export function reachedUs(record: BootRecord, name: string): number | undefined {
  const end = endsOf(record).get(name as TotalName) ?? milestonesOf(record).find((one) => one.name === name)?.atUs;
  if (end !== undefined) return end;
  const unit = record.units.find((one) => one.name === name || one.aliases?.includes(name));
  return unit && isPlaced(unit) ? unit.activatingUs + startTookUs(unit) : undefined;
}

/**
 * When this boot began on the record's clock: at kernel start. In a container and after a soft reboot the clock was running before, so
 * the boot began later. Firmware and loader do not count, because only some machines report them.
 */
export function originUs(record: BootRecord): number {
  return phases(record).find(({ name }) => name !== 'firmware' && name !== 'loader')?.startUs ?? 0;
}
