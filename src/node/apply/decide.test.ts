import { describe, expect, it } from 'vitest';
import type { UpdatePolicy } from '../document/config.ts';
import { aConfig } from '../document/configs.testing.ts';
import { aChange, SET_SYSCTL } from '../plan/plans.testing.ts';
import type { Slots } from './contract.ts';
import { decide, judgeAssignment, refusalOf } from './decide.ts';
import { assignmentOf } from './node-folder.testing.ts';
import type { ObservedPlan } from './observe-and-plan.ts';
import { aSlot, here } from './situations.testing.ts';

const A = assignmentOf({ generation: 1 });
const B = assignmentOf({ generation: 2 });
const RUNS_A: Slots = { active: aSlot(A, 1), bad: [] };

const situation = (over: { slots?: Slots; here?: ObservedPlan; isOrdered?: boolean } = {}) => ({
  slots: RUNS_A,
  here: here(),
  isOrdered: false,
  nowMs: 0,
  ...over,
});
const withPolicy = (update: Partial<UpdatePolicy>) =>
  assignmentOf({ generation: 2, update: { ...aConfig().update, ...update } });

describe('decide', () => {
  it('only updates the saved state when the node already matches the document', () => {
    expect(decide(B, situation())).toMatchObject({ do: 'remember', conclusion: { kind: 'unchanged' } });
  });

  it('reports blocked when only changes for the control plane are left', () => {
    const plan = here({ changes: [aChange({ class: 'C' })], class: 'C' });
    expect(decide(B, situation({ here: plan }))).toMatchObject({
      do: 'remember',
      conclusion: { kind: 'blocked', code: 'plan/needs-control-plane' },
    });
  });

  it('applies an allowed document, which is then watched', () => {
    const plan = here({ changes: [aChange()], steps: [SET_SYSCTL], class: 1 });
    expect(decide(B, situation({ here: plan }))).toMatchObject({
      do: 'go',
      conclusion: { kind: 'applied', code: 'verify/running' },
    });
  });

  it('holds a document with mode manual until it is ordered', () => {
    const manual = withPolicy({ mode: 'manual' });
    const plan = here({ changes: [aChange()], steps: [SET_SYSCTL], class: 1 });
    expect(decide(manual, situation({ here: plan }))).toEqual({
      do: 'hold',
      conclusion: expect.objectContaining({ kind: 'waiting', code: 'plan/manual' }),
      live: [],
    });
    expect(decide(manual, situation({ here: plan, isOrdered: true })).do).toBe('go');
  });

  it('holds a document that requires a new node', () => {
    const plan = here({ changes: [aChange({ class: 7 })], class: 7 });
    expect(decide(B, situation({ here: plan, isOrdered: true }))).toMatchObject({
      do: 'hold',
      conclusion: { kind: 'blocked', code: 'plan/needs-replacement' },
    });
  });
});

describe('drift', () => {
  const drifted = here({
    changes: [aChange({ isDrift: true, what: '/etc/a', class: 2 })],
    steps: [SET_SYSCTL, { do: 'restart-unit', unit: 'kubelet.service' }],
    class: 2,
  });

  it('from the active document holds all steps except kernel settings, which a boot clears', () => {
    expect(decide(A, situation({ here: drifted }))).toMatchObject({
      do: 'hold',
      conclusion: { code: 'plan/drift' },
      live: [SET_SYSCTL],
    });
  });

  it('holds all steps of a document that is not active', () => {
    expect(decide(B, situation({ here: drifted }))).toMatchObject({ do: 'hold', live: [] });
  });
});

describe('a repair of the active document', () => {
  const manualA = withPolicy({ mode: 'manual' });
  const runsIt: Slots = { active: aSlot(manualA, 1), bad: [] };

  it.each([
    ['disrupts nothing gets', 'go', aChange({ class: 1 })],
    ['restarts kubelet gets', 'wait', aChange({ class: 2 })],
  ] as const)('that %s the decision %s', (_, decision, change) => {
    const plan = here({ changes: [change], steps: [SET_SYSCTL], class: change.class });
    expect(judgeAssignment(manualA, situation({ slots: runsIt, here: plan })).decision).toBe(decision);
  });

  it('is judged without changes for the control plane', () => {
    const plan = here({ changes: [aChange(), aChange({ class: 'C' })], steps: [SET_SYSCTL], class: 'C' });
    expect(judgeAssignment(manualA, situation({ slots: runsIt, here: plan })).decision).toBe('go');
  });
});

describe('a document that was rolled back', () => {
  const bad = [{ hash: B.hash, generation: 2, code: 'verify/unit-failed', atMs: 0 }] as const;
  const slots: Slots = { ...RUNS_A, bad };

  it('is refused unless it is ordered', () => {
    expect(refusalOf(B, slots, { isOrdered: false })).toMatchObject({ kind: 'refused', code: 'plan/known-bad' });
    expect(refusalOf(B, slots, { isOrdered: true })).toBeUndefined();
  });

  it('is not refused while it is active, and does not affect other documents', () => {
    expect(refusalOf(B, { active: aSlot(B, 2), bad }, { isOrdered: false })).toBeUndefined();
    expect(refusalOf(A, slots, { isOrdered: false })).toBeUndefined();
  });
});
