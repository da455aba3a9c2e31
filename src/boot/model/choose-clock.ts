// boot/model/choose-clock.ts: which clock does a boot record use, and how is each piece of evidence shifted to it?

import { type ClockMap, clockMap } from './clock-map.ts';
import { timesOf } from './cluster-boots.ts';
import type { Anchor, Evidence, SourceKind } from './evidence.ts';
import type { BootRecord } from './record.ts';

/** The kernel, systemd or the journal takes these anchors itself. In other logs the stamp is written later than the uptime is read. */
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
  /** Converts from the evidence's clock to the chosen one; undefined if no anchor relates the two. */
  shiftOf(evidence: Evidence): ((us: number) => number) | undefined;
}

/** Prefers the kernel's clock, then time since userspace, then the first wall-clock time. `userspaceUs`: start of userspace, if known. */
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
  const hasMonotonic =
    evidence.some((e) => (e.clock === 'monotonic' && hasTimes(e)) || e.manager || e.monotonic) || map !== undefined;
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
 * systemd's manager alone gives the wall clock to the second. A log that prints the uptime in its banners is more precise, if it
 * agrees. Of several banners, use the one with the shortest delay between reading the uptime and writing the stamp.
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
  const quickest = agreeing.sort((a, b) => offsetUs(a) - offsetUs(b))[0];
  return quickest ? [...exact, quickest] : exact;
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
