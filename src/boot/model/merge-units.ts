// boot/model/merge-units.ts: which listing of units is the boot's, and what do the others add to it?

import type { Evidence, SourceKind } from './evidence.ts';
import { hasStarted, moveUnit, type Span, startTookUs, type Unit } from './record.ts';

export interface PlacedEvidence {
  evidence: Evidence;
  /** From the evidence's own clock to the record's. */
  shift: (us: number) => number;
}

/** `systemctl show` is all the manager knows; pictures and pasted text are parts of it; a journal knows no edges. */
const BY_TRUST: readonly SourceKind[] = [
  'boot-record',
  'systemctl-units',
  'analyze-plot-svg',
  'analyze-plot-json',
  'analyze-critical-chain',
  'analyze-blame',
  'analyze-time',
  'journal-json',
  'journal-export',
  'journal-text',
];
const COMPLETE: ReadonlySet<SourceKind> = new Set(['boot-record', 'systemctl-units']);
const JOURNALS: ReadonlySet<SourceKind> = new Set(['journal-json', 'journal-export', 'journal-text']);

export interface MergedUnits {
  units: Unit[];
  spans: Span[];
  /** Kinds whose units were not needed: what they could not tell is of no interest either. */
  unused: ReadonlySet<SourceKind>;
}

export function mergeUnits(placed: readonly PlacedEvidence[]): MergedUnits {
  const kinds = BY_TRUST.filter((kind) => placed.some(({ evidence }) => evidence.kind === kind && evidence.units));
  const main = kinds[0];
  if (!main) return { units: [], spans: [], unused: new Set() };
  const units = new Map<string, Unit>();
  for (const unit of listingsOf(placed, main)) if (!units.has(unit.name)) units.set(unit.name, unit);
  const others = kinds.slice(1);
  if (COMPLETE.has(main)) {
    // Answers about "the units" must be those the manager itself would give, so a complete listing is not topped up:
    // a unit that ran and was forgotten by the manager since is a span beside them.
    const seenByJournal = others.filter((kind) => JOURNALS.has(kind)).flatMap((kind) => listingsOf(placed, kind));
    const unused = new Set(others.filter((kind) => !JOURNALS.has(kind)));
    return { units: [...units.values()], spans: unloadedUnitSpans(units, seenByJournal), unused };
  }
  for (const unit of others.flatMap((kind) => listingsOf(placed, kind))) {
    units.set(unit.name, withMissingParts(units.get(unit.name), unit));
  }
  return { units: [...units.values()], spans: [], unused: new Set() };
}

/** Units of every listing of this kind; the one that saw most units start comes first and wins. */
function listingsOf(placed: readonly PlacedEvidence[], kind: SourceKind): Unit[] {
  return placed
    .filter(({ evidence }) => evidence.kind === kind && evidence.units)
    .map(({ evidence, shift }) => (evidence.units ?? []).map((unit) => moveUnit(unit, shift)))
    .sort((a, b) => b.filter(hasStarted).length - a.filter(hasStarted).length)
    .flat();
}

function unloadedUnitSpans(units: ReadonlyMap<string, Unit>, others: readonly Unit[]): Span[] {
  const known = new Set<string>();
  for (const unit of units.values()) for (const name of [unit.name, ...(unit.aliases ?? [])]) known.add(name);
  const spans: Span[] = [];
  for (const unit of others) {
    if (known.has(unit.name) || !hasStarted(unit) || startTookUs(unit) === 0) continue;
    known.add(unit.name);
    const endUs = unit.activatingUs + startTookUs(unit);
    const detail = 'ran, and is no longer loaded';
    spans.push({
      id: `systemd:${unit.name}`,
      name: unit.name,
      source: 'systemd',
      startUs: unit.activatingUs,
      endUs,
      detail,
    });
  }
  return spans;
}

function withMissingParts(known: Unit | undefined, other: Unit): Unit {
  if (!known) return other;
  const times = hasStarted(known) ? known : other;
  return {
    ...other,
    ...known,
    activatingUs: times.activatingUs,
    activatedUs: times.activatedUs,
    deactivatingUs: times.deactivatingUs,
    deactivatedUs: times.deactivatedUs,
    after: known.after.length > 0 ? known.after : other.after,
  };
}
