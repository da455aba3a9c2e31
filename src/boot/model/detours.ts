// boot/model/detours.ts: when would a target be up without one unit, or without one ordering, of its critical path?
import type { OrderGraph } from './order-graph.ts';
import type { RetimedGraph } from './retime.ts';

export interface Detours {
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
export function detoursAround(graph: OrderGraph, { endUs, order }: RetimedGraph, path: readonly number[]): Detours[] {
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
    const [lastUnit, lastEdge] = [pathUnitsUpTo[k]! - 1, pathUnitsUpTo[k + 1]! - 1];
    aroundUnit.raise(0, lastUnit, graph.floorUs[u]! + followsUs);
    aroundEdge.raise(0, lastEdge, graph.floorUs[u]! + followsUs);
    const hold = graph.holds?.get(u);
    if (hold) aroundUnit.raise(0, lastUnit, hold.untilUs + remainingUs[u]!);
    for (const d of graph.after[u]!) {
      if (followsUs > remainingUs[d]!) remainingUs[d] = followsUs;
      if (pathIndex[u]! > 0 && path[pathIndex[u]! - 1] === d) continue;
      const firstPassed = pathUnitsUpTo[place[d]! + 1]!;
      aroundUnit.raise(firstPassed, lastUnit, endUs[d]! + followsUs);
      aroundEdge.raise(firstPassed, lastEdge, endUs[d]! + followsUs);
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
      for (let i = 0; i < block.length; i++) {
        const value = block[i]!;
        if (value > below[i]!) below[i] = value;
        if (value > (below[i + half] ?? Number.POSITIVE_INFINITY)) below[i + half] = value;
      }
    }
    return this.#blocks[0]!;
  }
}
