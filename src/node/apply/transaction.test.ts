import { describe, expect, it } from 'vitest';
import { B, C, inService, ORDERED, said } from './store.testing.ts';
import { openNodeStore } from './store.ts';

describe('two at once', () => {
  it('do not change a node: one of them waits', async () => {
    const { node, store } = await inService();
    const other = openNodeStore(node.deps());
    const outcomes = await Promise.all([store.apply(B, ORDERED), other.apply(C, ORDERED), store.check()]);
    expect(outcomes.map(said).sort()).toEqual([
      ['applied', 'verify/running'],
      ['unchanged', 'ok/applied'],
      ['waiting', 'apply/busy'],
    ]);
    expect(node.drains).toBe(0);
  });
});
