import { describe, expect, it } from 'vitest';
import { compareCost, costOf } from './cost.ts';
import { KEEP_NONE } from './question.ts';

describe('costOf', () => {
  it('has no price without prices', () => {
    expect(costOf({ paused: 1, frozen: 2, stopped: 0 }, { kind: 'nodes' })).toEqual({ nodes: 3 });
  });

  it('ignores a tier of which no node is kept', () => {
    const unit = { kind: 'money' as const, currency: 'EUR', perHour: { frozen: 2 } };
    expect(costOf({ ...KEEP_NONE, frozen: 2 }, unit)).toEqual({ perHour: 4, perMonth: 2920, nodes: 2 });
  });
});

describe('compareCost', () => {
  it('prefers nodes that hold no memory if sizes are unknown', () => {
    const [paused, stopped] = [
      { ...KEEP_NONE, paused: 1 },
      { ...KEEP_NONE, stopped: 3 },
    ];
    expect(compareCost(paused, stopped, { kind: 'nodes' })).toBeGreaterThan(0);
  });
});
