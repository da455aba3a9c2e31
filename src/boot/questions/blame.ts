// boot/questions/blame.ts: what took longest across all sources? Work and waits are separate lists, and no time is counted twice.
import { everySpan, type SpanTree, spanForest, unitSpanId, unplacedSpans } from '../model/all-spans.ts';
import type { BootRecord, Span } from '../model/record.ts';
import { type UnitUse, unitUse } from './unit-use.ts';

export interface BlameEntry {
  id: string;
  name: string;
  source: Span['source'];
  /** Absent if the input has only the duration. */
  startUs?: number;
  tookUs: number;
  /** Time not covered by `parts`. */
  ownUs: number;
  /** The part of `tookUs` spent waiting for something outside the node; all of it if the entry is a wait. Overlapping waits count once. */
  waitUs: number;
  wait?: string;
  result?: Span['result'];
  /** Why it failed, if known. */
  failure?: string;
  /** The timer, socket, path or device that started this unit, if the boot itself did not. */
  startedBy?: string;
  /** Of a unit: CPU time, bytes read and written, memory. */
  used?: UnitUse;
  parts: BlameEntry[];
}

export interface BlameAnswer {
  work: BlameEntry[];
  waits: BlameEntry[];
}

/** Most work first on every level; longest wait first among waits. Ties are ordered by start, then id, so that output is stable. */
export function blame(record: BootRecord): BlameAnswer {
  const uses = new Map(record.units.map((unit) => [unitSpanId(unit.name), unitUse(unit)]));
  const entryOf = (tree: SpanTree) => blameEntry(tree, uses);
  const unplaced = unplacedSpans(record).filter((span) => span.endUs > 0);
  const entries = [
    ...spanForest(everySpan(record).filter((span) => span.endUs > span.startUs)).map(entryOf),
    ...unplaced.map((span) => withoutStart(entryOf({ span, children: [] }))),
  ];
  entries.sort(longestFirst);
  return { work: entries.filter((e) => e.wait === undefined), waits: entries.flatMap(waitsIn).sort(longestFirst) };
}

function blameEntry({ span, children }: SpanTree, uses: ReadonlyMap<string, UnitUse | undefined>): BlameEntry {
  const tookUs = span.endUs - span.startUs;
  const parts = children.map((child) => blameEntry(child, uses)).sort(longestFirst);
  const used = uses.get(span.id);
  return {
    id: span.id,
    name: span.name,
    source: span.source,
    startUs: span.startUs,
    tookUs,
    ownUs:
      tookUs -
      unionUs(
        children.map((child) => child.span),
        span,
      ),
    waitUs: unionUs(waitsOf({ span, children }), span),
    ...(span.wait !== undefined && { wait: span.wait }),
    ...(span.result !== undefined && { result: span.result }),
    ...(span.failure !== undefined && { failure: span.failure }),
    ...(span.startedBy !== undefined && { startedBy: span.startedBy }),
    ...(used && { used }),
    parts,
  };
}

function withoutStart({ startUs: _, ...entry }: BlameEntry): BlameEntry {
  return entry;
}

function waitsOf({ span, children }: SpanTree): Span[] {
  return span.wait !== undefined ? [span] : children.flatMap(waitsOf);
}

/** Waits on any level. A wait inside a wait is the same time, so it is not listed again. */
function waitsIn(entry: BlameEntry): BlameEntry[] {
  return entry.wait !== undefined ? [entry] : entry.parts.flatMap(waitsIn);
}

function longestFirst(a: BlameEntry, b: BlameEntry): number {
  const workUs = (entry: BlameEntry) => entry.tookUs - entry.waitUs;
  return (
    workUs(b) - workUs(a) ||
    b.tookUs - a.tookUs ||
    (a.startUs ?? 0) - (b.startUs ?? 0) ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  );
}

/** The part of `within` that the intervals cover. Overlaps count once. */
export function unionUs(
  intervals: readonly { startUs: number; endUs: number }[],
  within: { startUs: number; endUs: number } = { startUs: Number.NEGATIVE_INFINITY, endUs: Number.POSITIVE_INFINITY },
): number {
  let totalUs = 0;
  let coveredToUs = within.startUs;
  for (const { startUs, endUs } of [...intervals].sort((a, b) => a.startUs - b.startUs)) {
    const fromUs = Math.max(startUs, coveredToUs);
    const toUs = Math.min(endUs, within.endUs);
    if (toUs <= fromUs) continue;
    totalUs += toUs - fromUs;
    coveredToUs = toUs;
  }
  return totalUs;
}
