// boot/model/known-order.ts: does the record say what a unit waited for? A journal or a blame listing has times but no ordering.
import type { BootRecord } from './record.ts';

/** Units that have an After= or Before=, or that another unit names in its own. */
export function orderedUnits({ units }: Pick<BootRecord, 'units'>): Set<string> {
  const ordered = new Set<string>();
  for (const { name, aliases = [], after, before = [] } of units) {
    if (after.length + before.length > 0) for (const one of [name, ...aliases]) ordered.add(one);
    for (const other of [...after, ...before]) ordered.add(other);
  }
  return ordered;
}

/** False for a record with units of which none is ordered. */
export function hasOrdering(record: Pick<BootRecord, 'units'>): boolean {
  return record.units.length === 0 || orderedUnits(record).size > 0;
}

/** In a full listing (`systemctl show`) most units are ordered, and one that is not really has no ordering. */
export function isOrderKnown(record: Pick<BootRecord, 'units'>): (unit: string) => boolean {
  const ordered = orderedUnits(record);
  const count = record.units.filter(({ name }) => ordered.has(name)).length;
  return count * 2 > record.units.length ? () => true : (unit) => ordered.has(unit);
}
