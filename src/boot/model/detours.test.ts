import { describe, expect, it } from 'vitest';
import { bootRecord, unit } from '../testing.ts';
import { detoursAround } from './detours.ts';
import { orderGraph } from './order-graph.ts';
import { criticalPath, type RetimedGraph, retime } from './retime.ts';

describe('detoursAround', () => {
  const graph = orderGraph(
    bootRecord({
      units: [
        unit('base.target', 1, 0),
        unit('slow.service', 1, 8, ['base.target']),
        unit('quick.service', 1, 2, ['base.target']),
        unit('end.target', 9, 0, ['slow.service', 'quick.service']),
      ],
    }),
  );
  const timed = retime(graph) as RetimedGraph;
  const path = criticalPath(graph, timed, 3).reverse();

  it('finds the longest path around each unit and each ordering of the critical path', () => {
    expect(path.map((u) => graph.names[u])).toEqual(['base.target', 'slow.service', 'end.target']);
    const [, slow, end] = detoursAround(graph, timed, path);
    expect(slow!.withoutUnitUs).toBe(3e6);
    expect(end!.withoutEdgeUs).toBe(3e6);
  });

  it('counts what the platform decides as a path that starts there', () => {
    const holds = new Map([[2, { untilUs: 6e6, tailUs: 0, reason: 'platform' }]]);
    const held = retime({ ...graph, holds }) as RetimedGraph;
    expect(detoursAround({ ...graph, holds }, held, path)[1]!.withoutUnitUs).toBe(6e6);
  });
});
