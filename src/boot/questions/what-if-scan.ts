// boot/questions/what-if-scan.ts: which single edits save the most time until a target is reached?

import { knownUserspaceUs, type OrderGraph, orderGraph } from '../model/order-graph.ts';
import type { BootRecord } from '../model/record.ts';
import { criticalPath, type RetimedGraph } from '../model/retime.ts';
import { applyEdits, renderEdit, type WhatIfEdit } from './edits.ts';
import {
  ASSUMPTION,
  knownUnits,
  limitsOf,
  refuseMaskedTarget,
  retimeOrThrow,
  type TargetTime,
  targetOf,
} from './what-if.ts';

export interface WhatIfScan {
  target: string;
  clock: { zero: BootRecord['clock']['zero']; userspaceUs?: number };
  before: TargetTime;
  /** Best first; only edits that save time. */
  candidates: WhatIfCandidate[];
  assumption: string;
  notes: string[];
}

export interface WhatIfCandidate {
  edit: WhatIfEdit;
  text: string;
  afterUs: number;
  savedUs: number;
  /** The target is reached sooner only because it waits for less, not because anything got faster. */
  weakensTarget: boolean;
}

export interface ScanOptions {
  limit: number;
  /** Applied before the scan. */
  edits?: readonly WhatIfEdit[];
  target?: string;
}

/**
 * Only an edit on the critical path makes the target earlier, and only until the longest path that avoids the edited unit or edge.
 * All these detours are computed in one pass over the edges, so the scan costs about as much as re-timing once.
 */
export function whatIfScan(record: BootRecord, { limit, edits = [], target: wanted }: ScanOptions): WhatIfScan {
  const known = knownUnits(record);
  const edited = applyEdits(orderGraph(record), edits, known);
  const { graph } = edited;
  const target = targetOf(record, graph, known, wanted);
  refuseMaskedTarget(edited, target);
  const timed = retimeOrThrow(graph);
  const targetUs = timed.endUs[target]!;
  const userspaceUs = knownUserspaceUs(record);
  const candidates = [...candidateEdits(graph, timed, target)]
    .filter(({ afterUs }) => afterUs < targetUs)
    .map((candidate) => ({ ...candidate, text: renderEdit(candidate.edit), savedUs: targetUs - candidate.afterUs }))
    .sort((a, b) => b.savedUs - a.savedUs || (a.text < b.text ? -1 : 1))
    .slice(0, limit);
  return {
    target: graph.names[target]!,
    clock: { zero: record.clock.zero, ...(userspaceUs !== undefined && { userspaceUs }) },
    before: { targetUs, ...(userspaceUs !== undefined && { sinceUserspaceUs: targetUs - userspaceUs }) },
    candidates,
    assumption: ASSUMPTION,
    notes: [...edited.notes, ...limitsOf(record, graph.names[target]!)],
  };
}

type Candidate = Pick<WhatIfCandidate, 'edit' | 'afterUs' | 'weakensTarget'>;

function* candidateEdits(graph: OrderGraph, timed: RetimedGraph, target: number): Generator<Candidate> {
  const path = criticalPath(graph, timed, target).reverse();
  const detours = detoursAround(graph, timed, path);
  // From here on, the path consists of targets only. Removing what they wait for changes what the requested target means.
  const meaningFrom = path.findLastIndex((u) => !graph.names[u]!.endsWith('.target')) + 1;
  for (const [i, u] of path.entries()) {
    const unit = graph.names[u]!;
    const weakensTarget = i >= meaningFrom;
    const { withoutUnitUs, withoutEdgeUs } = detours[i]!;
    const previous = path[i - 1];
    if (previous !== undefined) {
      const dependency = graph.names[previous]!;
      yield { edit: { kind: 'drop-after', unit, dependency }, afterUs: withoutEdgeUs, weakensTarget };
    }
    if (u !== target) yield { edit: { kind: 'mask', unit }, afterUs: withoutUnitUs, weakensTarget };
    const shortenedUs = timed.endUs[target]! - graph.tookUs[u]!;
    const afterUs = u === target ? shortenedUs : Math.max(withoutUnitUs, shortenedUs);
    yield { edit: { kind: 'set', unit, tookUs: 0 }, afterUs, weakensTarget: false };
  }
}

interface Detours {
  /** When the target would be active on the longest path that avoids this unit … */
  withoutUnitUs: number;
  /** … or that avoids the edge on which the critical path enters the unit. */
  withoutEdgeUs: number;
}

/**
 * In topological order, every path to the target that avoids a unit has exactly one edge that skips the unit's position. The longest
 * path through an edge is the longest path to it plus the longest path from it. So the longest path around a unit is the maximum
 * over all edges that skip its position; around an edge, the maximum over the other edges that reach at least as far.
 */
function detoursAround(graph: OrderGraph, { endUs, order }: RetimedGraph, path: readonly number[]): Detours[] {
  const cone = coneOf(graph, order, path.at(-1)!);
  const place = new Int32Array(graph.names.length);
  const pathIndex = new Int32Array(graph.names.length).fill(-1);
  for (const [i, u] of path.entries()) pathIndex[u] = i;
  const pathUnitsUpTo = new Int32Array(cone.length + 1); // number of path units among the first k positions
  for (const [k, u] of cone.entries()) {
    place[u] = k;
    pathUnitsUpTo[k + 1] = pathUnitsUpTo[k]! + (pathIndex[u] === -1 ? 0 : 1);
  }

  const aroundUnit = new RangeMaximum(path.length);
  const aroundEdge = new RangeMaximum(path.length);
  const remainingUs = new Float64Array(graph.names.length); // longest path from a unit's end to the target's end
  for (let k = cone.length - 1; k >= 0; k--) {
    const u = cone[k]!;
    const followsUs = graph.delayUs[u]! + graph.tookUs[u]! + remainingUs[u]!;
    const stepOver = (firstPassed: number, targetUs: number) => {
      aroundUnit.raise(firstPassed, pathUnitsUpTo[k]! - 1, targetUs);
      aroundEdge.raise(firstPassed, pathUnitsUpTo[k + 1]! - 1, targetUs);
    };
    stepOver(0, graph.floorUs[u]! + followsUs);
    for (const d of graph.after[u]!) {
      if (followsUs > remainingUs[d]!) remainingUs[d] = followsUs;
      const isOnPath = pathIndex[u]! > 0 && path[pathIndex[u]! - 1] === d;
      if (!isOnPath) stepOver(pathUnitsUpTo[place[d]! + 1]!, endUs[d]! + followsUs);
    }
  }
  const withoutUnitUs = aroundUnit.values();
  const withoutEdgeUs = aroundEdge.values();
  return path.map((_, i) => ({ withoutUnitUs: withoutUnitUs[i]!, withoutEdgeUs: withoutEdgeUs[i]! }));
}

/** The target and all units it waits for, directly or indirectly, in the given order. */
function coneOf({ after }: OrderGraph, order: readonly number[], target: number): number[] {
  const isInCone = new Uint8Array(after.length);
  isInCone[target] = 1;
  const pending = [target];
  for (let u = pending.pop(); u !== undefined; u = pending.pop()) {
    for (const d of after[u]!) {
      if (isInCone[d]) continue;
      isInCone[d] = 1;
      pending.push(d);
    }
  }
  return order.filter((u) => isInCone[u]);
}

/** Range updates to a maximum, read once at the end (a reversed sparse table): a range is two blocks of a power of two. */
class RangeMaximum {
  readonly #blocks: Float64Array[] = []; // #blocks[n][i] applies to the 2^n values from i on

  constructor(length: number) {
    for (let size = 1; size <= Math.max(1, length); size *= 2) {
      this.#blocks.push(new Float64Array(length).fill(Number.NEGATIVE_INFINITY));
    }
  }

  /** `from` and `to` are inclusive. */
  raise(from: number, to: number, value: number): void {
    if (from > to) return;
    const level = 31 - Math.clz32(to - from + 1);
    const block = this.#blocks[level]!;
    if (block[from]! < value) block[from] = value;
    const last = to + 1 - (1 << level);
    if (block[last]! < value) block[last] = value;
  }

  values(): Float64Array {
    for (let level = this.#blocks.length - 1; level > 0; level--) {
      const half = 1 << (level - 1);
      const [block, below] = [this.#blocks[level]!, this.#blocks[level - 1]!];
      for (const [i, value] of block.entries()) {
        if (value > below[i]!) below[i] = value;
        if (value > (below[i + half] ?? Number.POSITIVE_INFINITY)) below[i + half] = value;
      }
    }
    return this.#blocks[0]!;
  }
}
