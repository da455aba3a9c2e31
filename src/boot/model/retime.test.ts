import { describe, expect, it } from 'vitest';
import { bootRecord, unit } from '../testing.ts';
import { type OrderGraph, orderGraph } from './order-graph.ts';
import { criticalPath, type RetimedGraph, retime } from './retime.ts';

const graph = orderGraph(
  bootRecord({
    units: [
      unit('end.target', 10, 0, ['a.service', 'b.service', 'quick.service']),
      unit('a.service', 2, 7, ['base.target']),
      unit('b.service', 3, 6, ['base.target']),
      unit('quick.service', 2, 1),
      unit('base.target', 1, 0),
    ],
  }),
);

function timedOf(of: OrderGraph): RetimedGraph {
  const timed = retime(of);
  if ('cycle' in timed) throw new Error('not expected to have a circle');
  return timed;
}

describe('re-timing a graph', () => {
  it('puts every unit after all it waits for, and keeps its observed delay', () => {
    const { order, startUs } = timedOf(graph);
    for (const [u, deps] of graph.after.entries()) {
      for (const d of deps) expect(order.indexOf(d)).toBeLessThan(order.indexOf(u));
    }
    expect(startUs[0]).toBe(10e6);
    expect(timedOf({ ...graph, tookUs: graph.tookUs.map(() => 0) }).startUs[0]).toBe(4e6);
  });

  it('names a circle that no order can satisfy, its first unit again at the end', () => {
    const after = graph.after.map((deps, u) => (graph.names[u] === 'base.target' ? [0] : deps));
    const answer = retime({ ...graph, after });
    expect(answer).toEqual({ cycle: ['end.target', 'a.service', 'base.target', 'end.target'] });
  });
});

describe('the critical path', () => {
  const pathOf = (of: OrderGraph) => criticalPath(of, timedOf(of), 0).map((u) => of.names[u]);

  it('goes back to the After= that ended last each time, the first by name where two ended together', () => {
    expect(pathOf(graph)).toEqual(['end.target', 'a.service', 'base.target']);
  });

  it('follows the other branch once the first is shorter', () => {
    const tookUs = graph.tookUs.map((us, u) => (graph.names[u] === 'a.service' ? 1e6 : us));
    expect(pathOf({ ...graph, tookUs })).toEqual(['end.target', 'b.service', 'base.target']);
  });
});
