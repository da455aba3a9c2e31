// boot/questions/compare.ts: what is slower, faster, new or gone between two boots (or sets of boots), and how much of the difference does each explain?

import { median, noiseOf } from '../model/noise.ts';
import { knownUserspaceUs } from '../model/order-graph.ts';
import type { BootRecord } from '../model/record.ts';
import { originUs, reachedUs, TOTAL_NAMES } from '../model/total.ts';
import { startsWithClaims } from './compare/claim-starts.ts';
import { type BootMeasures, type Measure, measuresOf } from './compare-measures.ts';

export interface BootCompare {
  boots: { before: number; after: number };
  /** Present if a side has a claimed standby instance: what the times of each side count from. */
  from?: { before: string; after: string };
  /** Absent if the end of the boot, or the given target, is not known on both sides. */
  total?: TimeDifference & { name: string };
  /** Of the total: waits on the path, or inside a link of it. The rest of the total is the node's own time. */
  waits?: TimeDifference;
  /** Biggest first. */
  changes: MeasureChange[];
  /** Number of changes that are not listed because they are below the threshold. */
  belowThreshold: number;
  thresholdUs: number;
  notes: string[];
}

export interface TimeDifference {
  beforeUs: number;
  afterUs: number;
  deltaUs: number;
  /** Chance alone can explain a difference of this size. Absent with one boot per side. */
  noiseUs?: number;
  isNoise?: boolean;
}

export interface MeasureChange extends Partial<TimeDifference> {
  id: string;
  name: string;
  what: Measure['what'];
  source: string;
  /** moved: took as long as before, but is now on the critical path, or no longer on it. */
  change: 'slower' | 'faster' | 'new' | 'gone' | 'moved';
  deltaUs: number;
  /** On the critical path in which of the two. unknown: on neither, but an input has no ordering of it. */
  onPath: 'both' | 'before' | 'after' | 'no' | 'unknown';
  /** What the node waited for. Absent for its own work. */
  wait?: string;
  /** Contribution to the difference of the totals: its time on the path and the delay before it. */
  explainsUs: number;
  /**
   * `explainsUs` as a fraction of the total difference: negative if it counteracts the difference, above 1 if others counteract it.
   * Absent if the totals hardly differ or are unknown.
   */
  share?: number;
  /** Id of the containing span, whose share includes this one. */
  inside?: string;
}

export function compareBoots(
  before: readonly BootRecord[],
  after: readonly BootRecord[],
  { thresholdUs = 10_000, target }: { thresholdUs?: number; target?: string } = {},
): BootCompare {
  const notes: string[] = [];
  const all = [...before, ...after];
  const claims = startsWithClaims(before, after);
  const startsUs = claims ? claims.startUs : commonStart(all, notes);
  const ends = target === undefined ? TOTAL_NAMES : [target];
  const name = ends.find((end) =>
    [before, after].every((side) => side.some((record) => reachedUs(record, end) !== undefined)),
  );
  const measure = (record: BootRecord) => measuresOf(record, name, startsUs(record));
  const sides = { before: before.map(measure), after: after.map(measure) };
  if (name === undefined && target === undefined)
    notes.push('no end of the boot (node Ready, startup finished, default target) is known on both sides: no total');
  if (before.length === 1 && after.length === 1)
    notes.push('one boot per side: how much of a difference is noise is unknown');

  const total = name === undefined ? undefined : { name, ...difference(totalsOf(sides.before), totalsOf(sides.after)) };
  const every = changesOf(sides, total?.deltaUs, thresholdUs);
  const isListed = (change: MeasureChange) => sizeOf(change) >= thresholdUs;
  return {
    boots: { before: before.length, after: after.length },
    ...(claims && { from: claims.from }),
    ...(total && { total, waits: difference(waitsOf(sides.before), waitsOf(sides.after)) }),
    changes: every.filter(isListed).sort((a, b) => sizeOf(b) - sizeOf(a) || (a.id < b.id ? -1 : 1)),
    belowThreshold: every.filter((change) => !isListed(change) && change.deltaUs !== 0).length,
    thresholdUs,
    notes,
  };
}

/** Times of two boots are comparable only if both count from the same event. */
function commonStart(records: readonly BootRecord[], notes: string[]): (record: BootRecord) => number {
  const zeros = new Set(records.map((record) => record.clock.zero));
  if (zeros.size === 1) return originUs;
  if (records.every((record) => knownUserspaceUs(record) !== undefined)) {
    notes.push('some inputs have only userspace times: all times count from the start of userspace');
    return (record) => knownUserspaceUs(record)!;
  }
  notes.push(
    `the boots count times from different events (${[...zeros].join(', ')}): milestones and totals are not comparable`,
  );
  return originUs;
}

function totalsOf(boots: readonly BootMeasures[]): number[] {
  return boots.map((boot) => boot.totalUs).filter((us) => us !== undefined);
}

function waitsOf(boots: readonly BootMeasures[]): number[] {
  return boots.map((boot) => boot.waitUs).filter((us) => us !== undefined);
}

function difference(before: readonly number[], after: readonly number[]): TimeDifference {
  const beforeUs = median(before);
  const afterUs = median(after);
  const deltaUs = afterUs - beforeUs;
  const noiseUs = noiseOf(before, after);
  return {
    beforeUs,
    afterUs,
    deltaUs,
    ...(noiseUs !== undefined && { noiseUs, isNoise: Math.abs(deltaUs) <= noiseUs }),
  };
}

interface Sides {
  before: BootMeasures[];
  after: BootMeasures[];
}

function changesOf(sides: Sides, totalDeltaUs: number | undefined, thresholdUs: number): MeasureChange[] {
  const ids = new Set([...sides.before, ...sides.after].flatMap((boot) => [...boot.measures.keys()]));
  const canShare = totalDeltaUs !== undefined && Math.abs(totalDeltaUs) >= thresholdUs;
  return [...ids].map((id) => {
    const before = sides.before.map((boot) => boot.measures.get(id));
    const after = sides.after.map((boot) => boot.measures.get(id));
    const change = changeOf(id, before, after, thresholdUs);
    return canShare ? { ...change, share: change.explainsUs / totalDeltaUs } : change;
  });
}

function changeOf(
  id: string,
  before: readonly (Measure | undefined)[],
  after: readonly (Measure | undefined)[],
  thresholdUs: number,
): MeasureChange {
  const seenBefore = before.filter((m) => m !== undefined);
  const seenAfter = after.filter((m) => m !== undefined);
  const { name, what, source, inside } = (seenAfter.at(-1) ?? seenBefore.at(-1))!;
  // The longer side decides: cloud-init-local of a parked VM is a wait, and work in a VM that was not parked.
  const { wait } = [...seenBefore, ...seenAfter].reduce((longest, m) => (m.us > longest.us ? m : longest));
  const values = { before: seenBefore.map((m) => m.us), after: seenAfter.map((m) => m.us) };
  const both = seenBefore.length > 0 && seenAfter.length > 0 ? difference(values.before, values.after) : undefined;
  const onlyUs = seenAfter.length > 0 ? { afterUs: median(values.after) } : { beforeUs: median(values.before) };
  // A milestone that only one side has is an instant, so it has no duration to compare.
  const lengthUs = what === 'milestone' ? 0 : (onlyUs.afterUs ?? -onlyUs.beforeUs!);
  const deltaUs = both?.deltaUs ?? lengthUs;
  const explainsUs = median(after.map((m) => m?.onPathUs ?? 0)) - median(before.map((m) => m?.onPathUs ?? 0));
  return {
    id,
    name,
    what,
    source,
    change: both ? verdict(both.deltaUs, thresholdUs) : seenAfter.length > 0 ? 'new' : 'gone',
    ...(both ?? onlyUs),
    deltaUs,
    onPath: pathOf(before, after),
    explainsUs,
    ...(inside !== undefined && { inside }),
    ...(wait !== undefined && { wait }),
  };
}

function verdict(deltaUs: number, thresholdUs: number): MeasureChange['change'] {
  if (Math.abs(deltaUs) < thresholdUs) return 'moved';
  return deltaUs > 0 ? 'slower' : 'faster';
}

/** True for a side if it holds for at least half of its boots. */
function pathOf(
  before: readonly (Measure | undefined)[],
  after: readonly (Measure | undefined)[],
): MeasureChange['onPath'] {
  const isOn = (side: readonly (Measure | undefined)[]) =>
    side.filter((m) => m?.onPathUs !== undefined).length * 2 >= side.length;
  if (isOn(before)) return isOn(after) ? 'both' : 'before';
  if (isOn(after)) return 'after';
  return [...before, ...after].some((m) => m?.isOrderUnknown) ? 'unknown' : 'no';
}

function sizeOf({ deltaUs, explainsUs }: MeasureChange): number {
  return Math.max(Math.abs(deltaUs), Math.abs(explainsUs));
}
