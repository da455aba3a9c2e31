// boot/keep/trim-record.ts: which part of a boot record is worth keeping for years? Units that started and their order.

import { redactText } from '../collect/redact.ts';
import { failedJobs } from '../model/causes/failures.ts';
import { type BootRecord, hasStarted, type Unit } from '../model/record.ts';

/** Phases, blame, chain, what-if and compare give the same results for the trimmed record. */
export function trimRecord(record: BootRecord): BootRecord {
  const failed = failedJobs(record); // units that others waited for although they never started
  const started = record.units.filter((unit) => hasStarted(unit) || unit.activatedUs > 0 || failed.has(unit.name));
  const kept = new Set(started.flatMap((unit) => [unit.name, ...(unit.aliases ?? [])]));
  return { ...record, units: started.map((unit) => trimUnit(unit, kept)), notes: [] };
}

/** JSON without secrets, even in text quoted from a log. */
export function recordJson(record: BootRecord): string {
  return redactText(JSON.stringify(trimRecord(record)));
}

const EDGES = ['requires', 'requisite', 'bindsTo', 'wants', 'conflicts', 'upholds', 'triggeredBy', 'triggers'] as const;

function trimUnit(unit: Unit, kept: ReadonlySet<string>): Unit {
  const { before: _, ...rest } = unit;
  const trimmed: Unit = { ...rest, after: unit.after.filter((name) => kept.has(name)) };
  for (const list of EDGES) {
    const names = unit[list]?.filter((name) => kept.has(name));
    if (names === undefined) continue;
    if (names.length > 0) trimmed[list] = names;
    else delete trimmed[list];
  }
  return trimmed;
}
