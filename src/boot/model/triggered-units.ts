// boot/model/triggered-units.ts: which units did a timer, a socket or a path start, and not the boot itself?
import { type BootRecord, hasStarted, type Unit } from './record.ts';

/**
 * By name, with what triggered each. A unit that another unit wants or requires is part of the boot even if it has a socket. Systemd
 * before 247 and pasted text have no TriggeredBy=; there, a timer or path of the same name counts.
 */
export function triggeredUnits(record: BootRecord): Map<string, string> {
  const started = record.units.filter(hasStarted);
  const triggerOf = triggersOf(started);
  if (triggerOf.size === 0) return triggerOf;
  for (const unit of started) {
    for (const name of pulledIn(unit)) triggerOf.delete(name);
  }
  return triggerOf;
}

function triggersOf(started: readonly Unit[]): Map<string, string> {
  const names = new Set(started.map(({ name }) => name));
  const found = new Map<string, string>();
  for (const { name, triggers } of started) {
    const [, stem] = /^(.+)\.(?:timer|path)$/.exec(name) ?? [];
    const same = stem === undefined ? [] : [`${stem}.service`];
    for (const unit of triggers ?? same) if (names.has(unit)) found.set(unit, name);
  }
  for (const { name, triggeredBy } of started) {
    const trigger = triggeredBy?.find((candidate) => names.has(candidate));
    if (trigger !== undefined) found.set(name, trigger);
  }
  return found;
}

function pulledIn({ wants, requires, bindsTo, upholds }: Unit): string[] {
  return [wants, requires, bindsTo, upholds].flatMap((names) => names ?? []);
}
