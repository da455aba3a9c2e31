import { describe, expect, it } from 'vitest';
import { PIPE } from '../output/screen.ts';
import { nameOf, type PlanView, renderPlan } from './plan-view.ts';

const view: PlanView = {
  pool: 'pool1',
  objective: '95% within 10s',
  asked: { quantile: 0.95, withinMs: 10_000 },
  verdict: 'unknown',
  arrivals: 100,
  observed: { from: 'A', to: 'B', mostInAMinute: 3 },
  isComplete: false,
  mixes: { examined: 3, all: 9 },
  frontier: [],
  levels: [],
  single: [],
  measured: [],
  leftOut: [],
  assumptions: ['x'],
  notes: [],
};

describe('renderPlan', () => {
  it('does not call an objective unreachable if the search ended early', () => {
    const text = renderPlan(view, PIPE);
    expect(text).toContain('not known: the search ended early');
    expect(text).toContain('(3 of 9 mixes were looked at); lower --most');
  });
});

describe('nameOf', () => {
  it('names the tiers that are kept', () => {
    expect(nameOf({ paused: 0, frozen: 3, stopped: 2 })).toBe('3 frozen + 2 stopped');
    expect(nameOf({ paused: 0, frozen: 0, stopped: 0 })).toBe('none');
  });
});
