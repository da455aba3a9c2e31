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
  if ('cycle' in timed) throw new Error('unexpected cycle');
  return timed;
}

describe('retime', () => {
  it('starts every unit its observed delay after the last unit it waits for', () => {
    const { order, startUs } = timedOf(graph);
    for (const [u, deps] of graph.after.entries()) {
      for (const d of deps) expect(order.indexOf(d)).toBeLessThan(order.indexOf(u));
    }
    expect(startUs[0]).toBe(10e6);
    expect(timedOf({ ...graph, tookUs: graph.tookUs.map(() => 0) }).startUs[0]).toBe(4e6);
  });

  it('returns the names of a cycle, with the first unit repeated at the end', () => {
    const after = graph.after.map((deps, u) => (graph.names[u] === 'base.target' ? [0] : deps));
    const answer = retime({ ...graph, after });
    expect(answer).toEqual({ cycle: ['end.target', 'a.service', 'base.target', 'end.target'] });
  });
});

describe('criticalPath', () => {
  const pathOf = (of: OrderGraph) => criticalPath(of, timedOf(of), 0).map((u) => of.names[u]);

  it('follows the After= dependency that ended last, and the first by name on a tie', () => {
    expect(pathOf(graph)).toEqual(['end.target', 'a.service', 'base.target']);
  });

  it('follows the other branch if the first becomes shorter', () => {
    const tookUs = graph.tookUs.map((us, u) => (graph.names[u] === 'a.service' ? 1e6 : us));
    expect(pathOf({ ...graph, tookUs })).toEqual(['end.target', 'b.service', 'base.target']);
  });
});
