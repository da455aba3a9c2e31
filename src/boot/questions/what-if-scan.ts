// boot/questions/what-if-scan.ts: which single edits, and which few together, save the most time until a target is reached?
import { KUBELET_UNIT } from '../model/known-units.ts';
import { knownUserspaceUs } from '../model/order-graph.ts';
import type { BootRecord } from '../model/record.ts';
import { criticalPath, type RetimedGraph, retimeInOrder } from '../model/retime.ts';
import { applyEdits, type EditedGraph } from './apply-edits.ts';
import { renderEdit, type WhatIfEdit } from './edits.ts';
import type { Advice } from './module-advice.ts';
import { movesToImage } from './module-advice.ts';
import { type PointGraph, pointGraph } from './point-graph.ts';
import { neededUnits, type PossibleEdit, possibleEdits } from './scan-edits.ts';
import { knownUnits, limitsOf, refuseMaskedTarget, retimeOrThrow, type TargetTime, targetOf } from './what-if.ts';
import { adviceFor } from './what-if-advice.ts';
import { SCAN_ASSUMPTION } from './what-if-assumption.ts';

export interface WhatIfScan {
  target: string;
  clock: { zero: BootRecord['clock']['zero']; userspaceUs?: number };
  before: TargetTime;
  /** Edits that save less are not listed: a boot varies more than that from one time to the next. */
  smallestUs: number;
  /** Best first; only edits that save time. */
  candidates: WhatIfCandidate[];
  /** Up to three edits, each the best one after those before it, re-timed together. Absent if fewer than two save time. */
  combined?: WhatIfSet;
  assumption: string;
  notes: string[];
}

export interface WhatIfCandidate extends Advice {
  edit: WhatIfEdit;
  text: string;
  afterUs: number;
  savedUs: number;
  /** The target is reached sooner only because it waits for less, not because anything got faster. Such edits are not proposed. */
  weakensTarget: boolean;
}

export interface WhatIfSet {
  edits: WhatIfEdit[];
  texts: string[];
  afterUs: number;
  savedUs: number;
}

export interface ScanOptions {
  limit?: number;
  /** Applied before the scan. */
  edits?: readonly WhatIfEdit[];
  target?: string;
}

const MOST_TOGETHER = 3;
/** Less than a boot varies from one time to the next: this time, and this share of the time until the target. */
const SMALLEST_US = 10_000;
const SMALLEST_SHARE = 0.001;

export function whatIfScan(record: BootRecord, { limit = 10, edits = [], target: wanted }: ScanOptions): WhatIfScan {
  const known = knownUnits(record);
  const recorded = pointGraph(record);
  const target = targetOf(record, recorded, known, { wanted, edits });
  const first = stage({ recorded, known }, edits);
  refuseMaskedTarget(first.edited, target);
  const targetUs = first.timed.endUs[target]!;
  const smallestUs = Math.max(SMALLEST_US, Math.round(targetUs * SMALLEST_SHARE));
  const scan: Scan = { recorded, known, target, smallestUs, needed: neededUnits(recorded) };
  const candidates = bestEdits(scan, first, limit);
  const userspaceUs = knownUserspaceUs(record);
  const combined = bestSet(scan, first, candidates[0]);
  return {
    target: first.edited.graph.names[target]!,
    clock: { zero: record.clock.zero, ...(userspaceUs !== undefined && { userspaceUs }) },
    before: { targetUs, ...(userspaceUs !== undefined && { sinceUserspaceUs: targetUs - userspaceUs }) },
    smallestUs,
    candidates: candidates.slice(0, limit),
    ...(combined && { combined }),
    assumption: SCAN_ASSUMPTION,
    notes: [
      ...first.edited.notes,
      ...first.edited.breaks,
      ...limitsOf(record, recorded, first.edited.graph.names[target]!),
    ],
  };
}

interface Scan {
  recorded: PointGraph;
  known: ReadonlySet<string>;
  target: number;
  smallestUs: number;
  needed: ReadonlySet<string>;
}

/** The boot with some edits made, in which further ones are sought. */
interface Stage {
  edits: readonly WhatIfEdit[];
  edited: EditedGraph;
  timed: RetimedGraph;
}

function stage({ recorded, known }: Pick<Scan, 'recorded' | 'known'>, edits: readonly WhatIfEdit[]): Stage {
  const edited = applyEdits(recorded, edits, known);
  return { edits, edited, timed: retimeOrThrow(edited.graph) };
}

/** The edits of a scan add no ordering, so the order of the first stage still holds. */
function laterStage({ recorded, known }: Scan, first: Stage, chosen: readonly WhatIfCandidate[]): Stage {
  const edits = [...first.edits, ...chosen.map(({ edit }) => edit)];
  const edited = applyEdits(recorded, edits, known);
  return { edits, edited, timed: retimeInOrder(edited.graph, first.timed.order) };
}

/** Edits are re-timed in the order of what they can save at most, until no other one can be among the best. */
function bestEdits(scan: Scan, from: Stage, wanted: number): WhatIfCandidate[] {
  const possible = possibleEdits(from.edited.graph, from.timed, scan).sort((a, b) => b.atMostUs - a.atMostUs);
  const waits = waitsOnPath(scan, from);
  const found: WhatIfCandidate[] = [];
  for (const one of possible) {
    if (found.filter(({ savedUs }) => savedUs >= one.atMostUs).length >= wanted) break;
    const candidate = tryEdit(scan, from, one, waits);
    if (candidate) found.push(candidate);
  }
  return found.sort((a, b) => b.savedUs - a.savedUs || (a.text < b.text ? -1 : 1));
}

function tryEdit(
  { recorded, known, target, smallestUs }: Scan,
  from: Stage,
  { edit, tookUs, description, failure }: PossibleEdit,
  waits: readonly number[],
): WhatIfCandidate | undefined {
  const edited = applyEdits(recorded, [...from.edits, edit], known);
  const losesKubelet = edited.breaks.length > from.edited.breaks.length;
  if ((losesKubelet && !(edit.kind === 'without' && movesToImage(edit.unit))) || edited.masked.has(target))
    return undefined;
  const { endUs } = retimeInOrder(edited.graph, from.timed.order);
  const afterUs = endUs[target]!;
  const savedUs = from.timed.endUs[target]! - afterUs;
  if (savedUs < smallestUs || !waitsForAll(edited.graph, target, waits)) return undefined;
  const { isPartial } = edited.graph;
  const advice = adviceFor(edit, {
    isPartial,
    savedUs,
    tookUs,
    lost: losesKubelet ? [...edited.lost, KUBELET_UNIT] : edited.lost,
    ...(description !== undefined && { description }),
    ...(failure !== undefined && { failure }),
  });
  return advice && { edit, text: renderEdit(edit), afterUs, savedUs, weakensTarget: false, ...advice };
}

/** The waits for something outside the node on the critical path. */
function waitsOnPath({ target }: Scan, { edited: { graph }, timed }: Stage): number[] {
  return criticalPath(graph, timed, target).filter((u) => graph.waits.has(u) || graph.holds.has(u));
}

/** Not waiting for the network or a disk any more is not a saving: what needs it waits later, or fails. */
function waitsForAll({ after }: PointGraph, target: number, waits: readonly number[]): boolean {
  if (waits.length === 0) return true;
  const seen = new Uint8Array(after.length);
  seen[target] = 1;
  const pending = [target];
  for (let u = pending.pop(); u !== undefined; u = pending.pop()) {
    for (const d of after[u]!) {
      if (seen[d]) continue;
      seen[d] = 1;
      pending.push(d);
    }
  }
  return waits.every((u) => seen[u]);
}

function bestSet(scan: Scan, first: Stage, best: WhatIfCandidate | undefined): WhatIfSet | undefined {
  const chosen: WhatIfCandidate[] = [];
  let from = first;
  for (let next = best; next; next = chosen.length < MOST_TOGETHER ? bestEdits(scan, from, 1)[0] : undefined) {
    chosen.push(next);
    from = laterStage(scan, first, chosen);
  }
  if (chosen.length < 2) return undefined;
  const afterUs = from.timed.endUs[scan.target]!;
  return {
    edits: chosen.map(({ edit }) => edit),
    texts: chosen.map(({ text }) => text),
    afterUs,
    savedUs: first.timed.endUs[scan.target]! - afterUs,
  };
}
