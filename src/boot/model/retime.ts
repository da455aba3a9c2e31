// boot/model/retime.ts: when does each unit of an order graph start and end, and what is the critical path to a unit?
import { latestEndUs, type OrderGraph } from './order-graph.ts';

export interface RetimedGraph {
  startUs: Float64Array;
  endUs: Float64Array;
  /** Topological: every unit comes after the units it waits for. */
  order: number[];
}

/** Returns the unit names of an ordering cycle if there is one. */
export function retime(graph: OrderGraph): RetimedGraph | { cycle: string[] } {
  const order = topologicalOrder(graph.after);
  return order.length < graph.names.length ? { cycle: findCycle(graph, order) } : retimeInOrder(graph, order);
}

/** `order`: a topological order of this graph, or of one with more orderings. */
export function retimeInOrder(graph: OrderGraph, order: number[]): RetimedGraph {
  const startUs = new Float64Array(graph.names.length);
  const endUs = new Float64Array(graph.names.length);
  for (const u of order) {
    startUs[u] = latestEndUs(graph.after[u]!, endUs, graph.floorUs[u]!) + graph.delayUs[u]!;
    const hold = graph.holds?.get(u);
    const heldUs = hold ? hold.untilUs + Math.min(hold.tailUs, graph.tookUs[u]!) : Number.NEGATIVE_INFINITY;
    endUs[u] = Math.max(startUs[u]! + graph.tookUs[u]!, heldUs);
  }
  return { startUs, endUs, order };
}

/** From the target back to a unit that waited for no other. Each step goes to the After= dependency that ended last. */
export function criticalPath(graph: OrderGraph, { endUs }: RetimedGraph, target: number): number[] {
  const path = [target];
  for (let u: number | undefined = target; u !== undefined; ) {
    const until = latestEndUs(graph.after[u]!, endUs, graph.floorUs[u]!);
    u = graph.after[u]!.filter((d) => endUs[d] === until).reduce(
      (best: number | undefined, d) => (best === undefined || graph.names[d]! < graph.names[best]! ? d : best),
      undefined,
    );
    if (u !== undefined) path.push(u);
  }
  return path;
}

/** Kahn's algorithm. Followers of all units are in one array because there may be a hundred thousand edges. */
function topologicalOrder(after: readonly number[][]): number[] {
  const firstFollower = new Int32Array(after.length + 1);
  for (const deps of after) for (const d of deps) firstFollower[d + 1]!++;
  for (let u = 0; u < after.length; u++) firstFollower[u + 1]! += firstFollower[u]!;
  const followers = new Int32Array(firstFollower[after.length]!);
  const filled = firstFollower.slice();
  for (let u = 0; u < after.length; u++) for (const d of after[u]!) followers[filled[d]!++] = u;

  const missing = Int32Array.from(after, (deps) => deps.length);
  const order: number[] = [];
  for (let u = 0; u < after.length; u++) if (missing[u] === 0) order.push(u);
  for (let i = 0; i < order.length; i++) {
    const d = order[i]!;
    for (let f = firstFollower[d]!; f < firstFollower[d + 1]!; f++) {
      const u = followers[f]!;
      if (--missing[u]! === 0) order.push(u);
    }
  }
  return order;
}

/** A unit without a topological position waits for another such unit: follow these until one repeats. */
function findCycle({ after, names }: OrderGraph, ordered: readonly number[]): string[] {
  const isOrdered = new Set(ordered);
  const position = new Map<number, number>();
  const walk: number[] = [];
  let u = names.findIndex((_, candidate) => !isOrdered.has(candidate));
  while (!position.has(u)) {
    position.set(u, walk.length);
    walk.push(u);
    u = after[u]!.find((d) => !isOrdered.has(d))!;
  }
  const cycle = walk.slice(position.get(u));
  return [...cycle, u].map((member) => names[member]!);
}
