// boot/model/merge-units.ts: which unit listing does the record use, and what do the other listings add?

import type { Evidence, SourceKind } from './evidence.ts';
import { hasStarted, isPlaced, moveUnit, type Span, startTookUs, type Unit } from './record.ts';

export interface PlacedEvidence {
  evidence: Evidence;
  /** From the evidence's own clock to the record's. */
  shift: (us: number) => number;
}

/** `systemctl show` is complete; plots and pasted text contain a part of it; a journal has no ordering edges. */
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

const PLOTS: ReadonlySet<SourceKind> = new Set(['analyze-plot-svg', 'analyze-plot-json']);

export interface MergedUnits {
  units: Unit[];
  spans: Span[];
  /** Kinds whose units were ignored; notes about them are dropped too. */
  unused: ReadonlySet<SourceKind>;
  /** The kind whose listing has all units, if there is one. */
  complete?: SourceKind;
}

export function mergeUnits(placed: readonly PlacedEvidence[]): MergedUnits {
  const kinds = BY_TRUST.filter((kind) => placed.some(({ evidence }) => evidence.kind === kind && evidence.units));
  const main = kinds[0];
  if (!main) return { units: [], spans: [], unused: new Set() };
  const units = new Map<string, Unit>();
  for (const unit of listingsOf(placed, main)) if (!units.has(unit.name)) units.set(unit.name, unit);
  const others = kinds.slice(1);
  if (COMPLETE.has(main)) {
    const plots = hasOnlyServices(units) ? others.filter((kind) => PLOTS.has(kind)) : [];
    for (const unit of plots.flatMap((kind) => listingsOf(placed, kind)))
      if (!units.has(unit.name)) units.set(unit.name, unit);
    // Unit lists must match what systemd itself prints, so a complete listing gets no additional units. A unit that ran and
    // was unloaded since becomes a span instead.
    const seenByJournal = others.filter((kind) => JOURNALS.has(kind)).flatMap((kind) => listingsOf(placed, kind));
    const unused = new Set(others.filter((kind) => !JOURNALS.has(kind) && !plots.includes(kind)));
    return { units: [...units.values()], spans: unloadedUnitSpans(units, seenByJournal), unused, complete: main };
  }
  for (const unit of others.flatMap((kind) => listingsOf(placed, kind))) {
    units.set(unit.name, withMissingParts(units.get(unit.name), unit));
  }
  return { units: [...units.values()], spans: [], unused: new Set() };
}

/** A `sos report` has `systemctl show` of the services and a plot of all units. */
function hasOnlyServices(units: ReadonlyMap<string, Unit>): boolean {
  return [...units.keys()].every((name) => name.endsWith('.service'));
}

/** Units of all listings of this kind. The listing with the most started units comes first and takes precedence. */
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
  // A start at a known instant is better than a duration alone, whichever listing is more trusted.
  const times = hasStarted(known) && (isPlaced(known) || !isPlaced(other)) ? known : other;
  const { isStartUnknown: _, ...merged } = { ...other, ...known };
  return {
    ...merged,
    ...(times.isStartUnknown === true && { isStartUnknown: true }),
    activatingUs: times.activatingUs,
    activatedUs: times.activatedUs,
    deactivatingUs: times.deactivatingUs,
    deactivatedUs: times.deactivatedUs,
    after: known.after.length > 0 ? known.after : other.after,
  };
}
