// boot/questions/span-cuts.ts: how much earlier does a span end if steps inside it are removed or changed?
import type { Span } from '../model/record.ts';

interface Interval {
  startUs: number;
  endUs: number;
}

interface Cut {
  span: Span;
  tookUs: number;
}

/**
 * `window`: the container, or the first part of it. `parts`: the container first, then what is inside it. Time in which another step was
 * running too is not saved. Negative if steps take longer.
 */
export function savedByCuts(window: Interval, cuts: readonly Cut[], parts: readonly Span[]): number {
  const inside = new Map(parts.map((span) => [span.id, span]));
  const made = cuts.filter(({ span }) => inside.has(span.id));
  const removed = made.map(({ span, tookUs }) =>
    clip({ startUs: Math.min(span.startUs + tookUs, span.endUs), endUs: span.endUs }, window),
  );
  const related = relatedIds(made, inside);
  const others = parts
    .slice(1)
    .filter((span) => !related.has(span.id))
    .map((span) => clip(span, window));
  let addedUs = 0;
  for (const { span, tookUs } of made) {
    if (span.endUs <= window.endUs) addedUs += Math.max(0, tookUs - (span.endUs - span.startUs));
  }
  return length([...removed, ...others]) - length(others) - addedUs;
}

/** The cut spans, their ancestors and descendants: these do not run in addition to them. */
function relatedIds(cuts: readonly Cut[], inside: ReadonlyMap<string, Span>): Set<string> {
  const cutIds = new Set(cuts.map(({ span }) => span.id));
  const related = new Set(cutIds);
  for (const { span } of cuts) for (const id of ancestors(span, inside)) related.add(id);
  for (const span of inside.values()) {
    if (ancestors(span, inside).some((id) => cutIds.has(id))) related.add(span.id);
  }
  return related;
}

function ancestors(span: Span, inside: ReadonlyMap<string, Span>): string[] {
  const found: string[] = [];
  for (let up = span.parent; up !== undefined && !found.includes(up); up = inside.get(up)?.parent) found.push(up);
  return found;
}

function clip({ startUs, endUs }: Interval, window: Interval): Interval {
  return { startUs: Math.max(startUs, window.startUs), endUs: Math.min(endUs, window.endUs) };
}

/** Of the union. */
function length(intervals: readonly Interval[]): number {
  let totalUs = 0;
  let untilUs = Number.NEGATIVE_INFINITY;
  for (const { startUs, endUs } of intervals
    .filter((one) => one.endUs > one.startUs)
    .sort((a, b) => a.startUs - b.startUs)) {
    if (endUs <= untilUs) continue;
    totalUs += endUs - Math.max(startUs, untilUs);
    untilUs = endUs;
  }
  return totalUs;
}
