// boot/model/choose-clock.ts: which clock does a boot record count on, and how is each piece of evidence moved onto it?

import { type ClockMap, clockMap } from './clock-map.ts';
import { timesOf } from './cluster-boots.ts';
import type { Anchor, Evidence, SourceKind } from './evidence.ts';
import type { BootRecord } from './record.ts';

/** Sources whose anchors are taken by the kernel or the journal itself; a log writer's stamp lags behind its uptime. */
const EXACT_ANCHORS: ReadonlySet<SourceKind> = new Set([
  'boot-record',
  'systemctl-manager',
  'systemctl-units',
  'journal-json',
  'journal-export',
]);

export interface ChosenClock {
  zero: BootRecord['clock']['zero'];
  wallAtZeroUs?: number;
  errorUs?: number;
  map?: ClockMap;
  /** From the evidence's own clock to the chosen one; undefined where nothing ties the two. */
  shiftOf(evidence: Evidence): ((us: number) => number) | undefined;
}

/** The kernel's where any piece knows it, else userspace's, else the first wall time seen. `userspaceUs` is when userspace began, where known. */
export function chooseClock(evidence: readonly Evidence[], userspaceUs: number | undefined): ChosenClock {
  const anchorsOf = (keep: (e: Evidence) => boolean) => evidence.filter(keep).flatMap((e) => e.anchors);
  const exact = anchorsOf((e) => EXACT_ANCHORS.has(e.kind));
  const map = clockMap(
    exact.length > 0
      ? narrowed(
          exact,
          anchorsOf((e) => !EXACT_ANCHORS.has(e.kind)),
        )
      : anchorsOf(() => true),
  );
  const same = (us: number) => us;
  const hasMonotonic = evidence.some((e) => (e.clock === 'monotonic' && hasTimes(e)) || e.manager) || map !== undefined;
  if (hasMonotonic) {
    return {
      zero: 'kernel',
      ...(map && { map, wallAtZeroUs: map.wallAtZeroUs, errorUs: map.errorUs }),
      shiftOf: (e) => {
        if (e.clock === 'monotonic' || !hasTimes(e)) return same;
        if (e.clock === 'wall') return map && ((us) => map.toMonotonicUs(us));
        return userspaceUs === undefined ? undefined : (us) => us + userspaceUs;
      },
    };
  }
  if (evidence.some((e) => e.clock === 'userspace' && hasTimes(e))) {
    return {
      zero: 'userspace',
      shiftOf: (e) => (e.clock === 'userspace' || !hasTimes(e) ? same : undefined),
    };
  }
  const firstUs = firstWallTime(evidence);
  return {
    zero: 'first-event',
    ...(firstUs !== undefined && { wallAtZeroUs: firstUs, errorUs: 0 }),
    shiftOf: () => (us) => us - (firstUs ?? 0),
  };
}

/**
 * A manager alone tells the wall clock to the second. A log that notes its uptime with every banner knows better, where it
 * agrees: of several, the one with the least delay between looking at the uptime and writing the stamp.
 */
function narrowed(exact: readonly Anchor[], others: readonly Anchor[]): readonly Anchor[] {
  const map = clockMap(exact);
  if (!map || map.steps.length > 0) return exact;
  const offsetUs = (anchor: Anchor) => anchor.wallUs - anchor.monotonicUs;
  const agreeing = others.filter(
    (anchor) =>
      anchor.errorUs < map.errorUs &&
      offsetUs(anchor) <= map.wallAtZeroUs + map.errorUs &&
      offsetUs(anchor) + anchor.errorUs >= map.wallAtZeroUs - map.errorUs,
  );
  const promptest = agreeing.sort((a, b) => offsetUs(a) - offsetUs(b))[0];
  return promptest ? [...exact, promptest] : exact;
}

function hasTimes(evidence: Evidence): boolean {
  return evidence.spans.length > 0 || evidence.milestones.length > 0 || (evidence.units?.length ?? 0) > 0;
}

function firstWallTime(evidence: readonly Evidence[]): number | undefined {
  const firstUs = evidence.reduce(
    (earliest, piece) => Math.min(earliest, timesOf(piece).firstUs),
    Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(firstUs) ? firstUs : undefined;
}
