import { describe, expect, it } from 'vitest';
import type { NodeLabelsAndTaints } from '../observe/live-values.ts';
import { assignmentOf } from './node-folder.testing.ts';
import { observeAndPlan, wantedBy } from './observe-and-plan.ts';
import { FIRST_STATE } from './records.ts';
import { aNode } from './store.testing.ts';

async function observedWith(labels: Record<string, string>, seen: NodeLabelsAndTaints | undefined, isRunning = true) {
  const node = aNode();
  if (isRunning) node.join();
  let asked = 0;
  const deps = node.deps();
  const hooks = {
    ...deps.node,
    seen: async () => {
      asked++;
      return seen;
    },
  };
  const want = wantedBy(assignmentOf({ labels }));
  const { observed } = await observeAndPlan(want, FIRST_STATE.ownership, { ...deps, node: hooks });
  return { asked, observed };
}
const NODE: NodeLabelsAndTaints = { labels: new Map([['tier', 'a']]), taints: new Map() };

describe('observeAndPlan', () => {
  it('reads the planned labels from the Node of a node in service', async () => {
    const { observed, asked } = await observedWith({ tier: 'b', other: 'x' }, NODE);
    expect([asked, observed.isNodeKnown, observed.live.get('label tier')]).toEqual([1, true, 'a']);
    expect(observed.live.has('label other')).toBe(false);
  });

  it('does not read the Node if no label and no taint is planned', async () => {
    expect((await observedWith({}, NODE)).asked).toBe(0);
  });

  it('does not read the Node before kubelet runs', async () => {
    const { asked, observed } = await observedWith({ tier: 'b' }, NODE, false);
    expect([asked, observed.isNodeKnown]).toEqual([0, false]);
  });

  it('treats labels as unknown if the API server does not answer', async () => {
    expect((await observedWith({ tier: 'b' }, undefined)).observed.isNodeKnown).toBe(false);
  });
});
