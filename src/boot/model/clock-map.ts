// boot/model/clock-map.ts: which monotonic time corresponds to a wall-clock time, also if the wall clock was stepped?
import type { Anchor } from './evidence.ts';

/** A part of the boot in which wall = monotonic + offset, with the offset in [lowUs, highUs]. */
interface Segment {
  fromMonotonicUs: number;
  toMonotonicUs: number;
  lowUs: number;
  highUs: number;
}

export interface ClockMap {
  /** Wall clock at monotonic zero: the middle of the possible range; `errorUs` is half its width. */
  wallAtZeroUs: number;
  errorUs: number;
  /** Jumps of the wall clock (time service, paused VM) that the anchors show. */
  steps: { atMonotonicUs: number; byUs: number }[];
  toMonotonicUs(wallUs: number): number;
}

/** Time services slew by up to 500 ppm, and the two clocks are not read at the same instant: a smaller difference is not a step. */
const DRIFT_US = 20_000;

export function clockMap(anchors: readonly Anchor[]): ClockMap | undefined {
  const segments = segmentsOf(anchors);
  const first = segments[0];
  if (!first) return undefined;
  const offsets = segments.map(middle);
  return {
    wallAtZeroUs: offsets[0]!,
    errorUs: Math.round((first.highUs - first.lowUs) / 2),
    steps: segments.slice(1).map((segment, i) => ({
      atMonotonicUs: segment.fromMonotonicUs,
      byUs: offsets[i + 1]! - offsets[i]!,
    })),
    toMonotonicUs: (wallUs) => {
      // After a backward step, a time may fit both segments: use the later one.
      for (let i = segments.length - 1; i > 0; i--) {
        const { fromMonotonicUs } = segments[i]!;
        const monotonicUs = wallUs - offsets[i]!;
        if (monotonicUs >= fromMonotonicUs) return monotonicUs;
        // The step may come before the first anchor that shows it: then the time is too late for the segment before.
        const isTooLate = wallUs - offsets[i - 1]! > fromMonotonicUs;
        if (isTooLate && monotonicUs >= segments[i - 1]!.toMonotonicUs) return monotonicUs;
      }
      return wallUs - offsets[0]!;
    },
  };
}

/** Every anchor narrows the offset. An anchor that contradicts the earlier ones starts a new segment. */
function segmentsOf(anchors: readonly Anchor[]): Segment[] {
  const segments: Segment[] = [];
  const inOrder = anchors
    .filter((a) => Number.isFinite(a.monotonicUs) && Number.isFinite(a.wallUs))
    .sort((a, b) => a.monotonicUs - b.monotonicUs);
  for (const anchor of inOrder) {
    const lowUs = anchor.wallUs - anchor.monotonicUs;
    const highUs = lowUs + anchor.errorUs;
    const agrees = (segment: Segment | undefined): segment is Segment =>
      segment !== undefined && lowUs <= segment.highUs + DRIFT_US && highUs >= segment.lowUs - DRIFT_US;
    // A single anchor that contradicts both neighbours: its writer was interrupted between reading the two clocks.
    const isSingle = segments.at(-1)?.fromMonotonicUs === segments.at(-1)?.toMonotonicUs;
    if (isSingle && !agrees(segments.at(-1)) && agrees(segments.at(-2))) segments.pop();
    const current = segments.at(-1);
    if (!agrees(current)) {
      segments.push({ fromMonotonicUs: anchor.monotonicUs, toMonotonicUs: anchor.monotonicUs, lowUs, highUs });
      continue;
    }
    current.toMonotonicUs = anchor.monotonicUs;
    const narrowLowUs = Math.max(current.lowUs, lowUs);
    const narrowHighUs = Math.min(current.highUs, highUs);
    if (narrowLowUs <= narrowHighUs) {
      current.lowUs = narrowLowUs;
      current.highUs = narrowHighUs;
    }
  }
  return segments;
}

function middle(segment: Segment): number {
  return Math.round((segment.lowUs + segment.highUs) / 2);
}
