import { describe, expect, it } from 'vitest';
import { B, C, inService, kindAndCode, ORDERED } from './store.testing.ts';
import { openNodeStore } from './store.ts';

describe('two operations at the same time', () => {
  it('do not both change the node: one returns waiting', async () => {
    const { node, store } = await inService();
    const other = openNodeStore(node.deps());
    const outcomes = await Promise.all([store.apply(B, ORDERED), other.apply(C, ORDERED), store.check()]);
    expect(outcomes.map(kindAndCode).sort()).toEqual([
      ['applied', 'verify/running'],
      ['unchanged', 'ok/applied'],
      ['waiting', 'apply/busy'],
    ]);
    expect(node.drains).toBe(0);
  });
});
