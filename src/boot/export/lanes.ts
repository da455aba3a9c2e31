// boot/export/lanes.ts: which lane does a span go into, so that spans of one lane never partially overlap?
import type { Span } from '../model/record.ts';

export interface SpanInLane {
  span: Span;
  lane: number;
}

/**
 * Spans of one lane must follow or contain each other, or viewers drop them. A span goes into its parent's lane if it fits inside
 * and overlaps no sibling there; otherwise into the lane that has been free longest, or a new lane.
 */
export function assignLanes(spans: readonly Span[]): SpanInLane[] {
  const sorted = [...spans].sort((a, b) => a.startUs - b.startUs || b.endUs - a.endUs || (a.id < b.id ? -1 : 1));
  const laneOf = new Map<string, number>();
  const openIn: Span[][] = []; // per lane: spans still open at the current start, outermost first
  const free = new LanesByEnd();
  return sorted.map((span) => {
    const parentLane = span.parent === undefined ? undefined : laneOf.get(span.parent);
    const fitsParent = parentLane !== undefined && fitsInto(openIn[parentLane]!, span);
    const lane = fitsParent ? parentLane : free.take(span);
    if (fitsParent) openIn[lane]!.push(span);
    else openIn[lane] = [span];
    laneOf.set(span.id, lane);
    return { span, lane };
  });
}

function fitsInto(open: Span[], span: Span): boolean {
  while (open.length > 0 && endOf(open.at(-1)!) <= span.startUs) {
    if (open.at(-1)!.id === span.parent) break; // an instant at the end of its parent is still inside
    open.pop();
  }
  const around = open.at(-1);
  return around !== undefined && around.id === span.parent && endOf(span) <= endOf(around);
}

/** A heap of lanes by the end of their last outermost span. */
class LanesByEnd {
  readonly #heap: { lane: number; endUs: number }[] = [];

  /** Returns a lane that is free when the span starts, and occupies it until the span ends. */
  take(span: Span): number {
    const top = this.#heap[0];
    const endUs = endOf(span);
    if (top && top.endUs <= span.startUs) {
      top.endUs = endUs;
      this.#sink();
      return top.lane;
    }
    const lane = this.#heap.length;
    this.#heap.push({ lane, endUs });
    this.#rise();
    return lane;
  }

  #rise(): void {
    const heap = this.#heap;
    for (let i = heap.length - 1; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (heap[parent]!.endUs <= heap[i]!.endUs) return;
      [heap[parent], heap[i]] = [heap[i]!, heap[parent]!];
      i = parent;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let i = 0; ; ) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child < heap.length && heap[child]!.endUs < heap[least]!.endUs) least = child;
      }
      if (least === i) return;
      [heap[least], heap[i]] = [heap[i]!, heap[least]!];
      i = least;
    }
  }
}

function endOf(span: Span): number {
  return Math.max(span.startUs, span.endUs);
}
