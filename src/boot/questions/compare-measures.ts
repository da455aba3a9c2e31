// boot/questions/compare-measures.ts: which numbers of two boots can be compared, and which are on the critical path?

import { everySpan } from '../model/all-spans.ts';
import { defaultTarget } from '../model/default-target.ts';
import { hasOrdering, isOrderKnown } from '../model/known-order.ts';
import { milestonesOf } from '../model/milestones.ts';
import { phases } from '../model/phases.ts';
import type { BootRecord, Span } from '../model/record.ts';
import { reachedUs } from '../model/total.ts';
import { unionUs } from './blame.ts';
import { chain } from './chain.ts';

export interface Measure {
  what: 'phase' | 'unit' | 'span' | 'milestone' | 'gap';
  name: string;
  source: string;
  /** Duration; for a milestone, its time since the start of the boot. */
  us: number;
  /** Contribution to the total; absent if not on the critical path. */
  onPathUs?: number;
  /** Id of the measure this one is part of. */
  inside?: string;
  /** Why the node was blocked on something outside it. Absent = work. */
  wait?: string;
  /** The record does not say whether anything waited for it. */
  isOrderUnknown?: boolean;
}

export interface BootMeasures {
  totalUs?: number;
  /** The part of the total that waits on the path take, or waits inside a link of it. Overlaps count once. */
  waitUs?: number;
  measures: Map<string, Measure>;
}

/** If the end is known, measures on the critical path that are not inside another one add up exactly to the total. */
export function measuresOf(record: BootRecord, end: string | undefined, startUs: number): BootMeasures {
  const measures = new Map<string, Measure>();
  const spans = everySpan(record);
  for (const { name, startUs: fromUs, endUs } of phases(record)) {
    measures.set(`phase:${name}`, { what: 'phase', name, source: 'phase', us: endUs - fromUs });
  }
  for (const span of spans) measures.set(span.id, measureOf(span));
  for (const { name, atUs } of milestonesOf(record)) {
    measures.set(`milestone:${name}`, { what: 'milestone', name, source: 'milestone', us: atUs - startUs });
  }
  const endUs = end === undefined ? undefined : reachedUs(record, end);
  if (end === undefined || endUs === undefined) return { measures };
  putOnPath(measures, record, { end, endUs, startUs });
  passOnToParts(measures, spans);
  markUnknownOrder(measures, record, spans);
  const waits = spans.filter(({ id, wait }) => wait !== undefined && measures.get(id)!.onPathUs !== undefined);
  return { measures, totalUs: endUs - startUs, waitUs: unionUs(waits, { startUs, endUs }) };
}

function measureOf(span: Span): Measure {
  const { name, source, parent, wait } = span;
  return {
    what: source === 'systemd' && span.unit === name ? 'unit' : 'span',
    name,
    source,
    us: span.endUs - span.startUs,
    ...(parent !== undefined && { inside: parent }),
    ...(wait !== undefined && { wait }),
  };
}

function putOnPath(
  measures: Map<string, Measure>,
  record: BootRecord,
  { end, endUs, startUs }: { end: string; endUs: number; startUs: number },
): void {
  const target = end === 'default-target' ? defaultTarget(record) : end;
  const links = chain(record, target).filter((link) => link.endUs <= endUs);
  const gap = (id: string, name: string, us: number) =>
    measures.set(`gap:${id}`, { what: 'gap', name, source: 'path', us, onPathUs: us });
  let phasesEndUs = startUs;
  for (const { name, startUs: fromUs, endUs: toUs } of phases(record)) {
    if (fromUs < startUs || name === 'userspace') continue; // phases before the start are not in the total
    measures.get(`phase:${name}`)!.onPathUs = toUs - fromUs;
    phasesEndUs += toUs - fromUs;
  }
  let untilUs = links[0]?.endUs ?? phasesEndUs;
  gap('end', `from the end of the path to ${end}`, endUs - untilUs);
  for (const [i, link] of links.entries()) {
    // The link's duration and the delay before it. Coarse stamps may overlap: no time counts for two links.
    const fromUs = Math.min(untilUs, links[i + 1]?.endUs ?? link.startUs);
    if (link.id.startsWith('milestone:')) gap(link.name, `until ${link.name}`, untilUs - fromUs);
    else measures.get(link.id)!.onPathUs = untilUs - fromUs;
    untilUs = fromUs;
  }
  gap('first-unit', 'before the first unit on the path', untilUs - phasesEndUs);
}

/** A part of a span on the path is on the path too, with its own duration. */
function passOnToParts(measures: ReadonlyMap<string, Measure>, spans: readonly Span[]): void {
  const children = Map.groupBy(
    spans.filter((span) => span.parent !== undefined),
    (span) => span.parent!,
  );
  const pending = [...measures].filter(([, m]) => m.onPathUs !== undefined).map(([id]) => id);
  const seen = new Set(pending);
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    for (const child of children.get(id) ?? []) {
      if (seen.has(child.id)) continue;
      seen.add(child.id);
      measures.get(child.id)!.onPathUs = child.endUs - child.startUs;
      pending.push(child.id);
    }
  }
}

/** A unit without ordering may have held back the end without being on the path; so may its parts. */
function markUnknownOrder(measures: ReadonlyMap<string, Measure>, record: BootRecord, spans: readonly Span[]): void {
  const isUnitKnown = isOrderKnown(record);
  const byId = new Map(spans.map((span) => [span.id, span]));
  const isKnown = (span: Span, depth = 0): boolean => {
    const parent = span.parent === undefined ? undefined : byId.get(span.parent);
    if (parent && depth < MAX_DEPTH) return isKnown(parent, depth + 1);
    return span.source === 'systemd' && span.unit !== undefined ? isUnitKnown(span.unit) : hasOrdering(record);
  };
  for (const span of spans) {
    const measure = measures.get(span.id)!;
    if (measure.onPathUs === undefined && !isKnown(span)) measure.isOrderUnknown = true;
  }
}

/** Spans are nested a few levels deep; a damaged record may have a loop. */
const MAX_DEPTH = 16;
