// boot/keep/trim-record.ts: what of a boot record is worth keeping for years? What happened and in which order; not what did not.

import { redactText } from '../collect/redact.ts';
import { type BootRecord, hasStarted, type Unit } from '../model/record.ts';

/** Phases, blame, chain, what-if and comparison give the same answers from it. */
export function trimRecord(record: BootRecord): BootRecord {
  const started = record.units.filter((unit) => hasStarted(unit) || unit.activatedUs > 0);
  const kept = new Set(started.flatMap((unit) => [unit.name, ...(unit.aliases ?? [])]));
  return { ...record, units: started.map((unit) => trimUnit(unit, kept)), notes: [] };
}

/** The bytes of a record: JSON with nothing secret in it, a message quoted from a log included. */
export function recordJson(record: BootRecord): string {
  return redactText(JSON.stringify(trimRecord(record)));
}

function trimUnit(unit: Unit, kept: ReadonlySet<string>): Unit {
  const { before: _, conflicts: __, ...rest } = unit;
  const trimmed: Unit = { ...rest, after: unit.after.filter((name) => kept.has(name)) };
  for (const list of ['requires', 'requisite', 'bindsTo', 'wants', 'upholds'] as const) {
    const names = unit[list]?.filter((name) => kept.has(name));
    if (names === undefined) continue;
    if (names.length > 0) trimmed[list] = names;
    else delete trimmed[list];
  }
  return trimmed;
}
