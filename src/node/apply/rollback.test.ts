import { describe, expect, it } from 'vitest';
import type { ObservedState, Plan, PlanStep } from '../desired/tree.ts';
import { NOTHING_OWNED } from '../desired/tree.ts';
import { aChange, aUnit } from '../plan/plans.testing.ts';
import { assignmentOf } from './node-folder.testing.ts';
import { FIRST_STATE, type Generation } from './records.ts';
import { decideRollback, ownershipBefore, type RollbackDecision, type RollbackInput } from './rollback.ts';
import { aSlot, here, STAMP } from './situations.testing.ts';

const A = assignmentOf({ generation: 1 });
const B = assignmentOf({ generation: 2 });
const OLD: Generation = { number: 1, appliedMs: 0, assignment: A, ownership: NOTHING_OWNED };
const WATCH = {
  number: 1,
  sinceMs: 7,
  bootId: 'b',
  units: [],
  ranBefore: [],
  wasApiReachable: true,
  kubeletConfig: {},
};

const back = (over: Partial<RollbackInput> = {}): RollbackInput => ({
  state: { ...FIRST_STATE, lastNumber: 2, slots: { active: aSlot(B, 2), lastKnownGood: aSlot(A, 1), bad: [] } },
  code: 'verify/unit-failed',
  reason: 'kubelet failed',
  target: 1,
  blamed: aSlot(B, 2),
  meanwhile: NOTHING_OWNED,
  ranBefore: [],
  canMovePods: true,
  owesUncordon: false,
  ...over,
});
const decideFrom = (
  over: Partial<RollbackInput> = {},
  plan: Partial<Plan> = {},
  observed: Partial<ObservedState> = {},
  old: Generation | undefined = OLD,
) => decideRollback(back(over), { old, here: here(plan, observed), stamp: STAMP });
function journalOf(decision: RollbackDecision) {
  if (decision.do !== 'go') throw new Error(decision.conclusion.reason);
  return decision.journal;
}

const DRAIN: PlanStep = { do: 'drain' };
const UNCORDON: PlanStep = { do: 'uncordon' };
const RESTART: PlanStep = { do: 'restart-unit', unit: 'kubelet.service' };

describe('decideRollback', () => {
  it('restores the earlier generation and marks the later one as bad', () => {
    const decision = decideFrom();
    expect(decision.conclusion).toEqual({ kind: 'reverted', code: 'verify/unit-failed', reason: 'kubelet failed' });
    const { kind, after, generation } = journalOf(decision);
    expect([kind, after.slots.active?.number, generation]).toEqual(['back', 1, OLD]);
    expect(after.slots.bad).toEqual([{ hash: B.hash, generation: 2, code: 'verify/unit-failed', atMs: 1000 }]);
  });

  it('marks no document as bad if none is blamed, nor on a first boot', () => {
    expect(journalOf(decideFrom({ blamed: undefined })).after.slots.bad).toEqual([]);
    const first = decideRollback(back({ target: undefined }), { old: undefined, here: here(), stamp: STAMP });
    expect([first.conclusion.kind, journalOf(first).after.slots.bad]).toEqual(['failed', []]);
    expect(journalOf(first).after.slots.active).toBeUndefined();
  });

  it('drains only if pods can be moved', () => {
    const plan = { changes: [aChange({ class: 4 })], steps: [DRAIN, RESTART, UNCORDON], class: 4 } as const;
    expect(journalOf(decideFrom({}, plan)).steps).toEqual([DRAIN, RESTART, UNCORDON]);
    expect(journalOf(decideFrom({ canMovePods: false }, plan)).steps).toEqual([RESTART, UNCORDON]);
  });

  it('restarts units that the change stopped before it uncordons the node', () => {
    const units = new Map([
      ['app.service', aUnit(false)],
      ['fine.service', aUnit(true)],
      ['kubelet.service', aUnit(false)],
    ]);
    const ranBefore = ['app.service', 'fine.service', 'kubelet.service', 'gone.service'];
    const { steps } = journalOf(decideFrom({ ranBefore }, { steps: [RESTART, UNCORDON] }, { units }));
    expect(steps).toEqual([RESTART, { do: 'restart-unit', unit: 'app.service' }, UNCORDON]);
  });

  it('restarts a unit that the rollback restores', () => {
    const path = '/etc/systemd/system/app.service';
    const write: PlanStep = { do: 'write-file', path, mode: 0o644, uid: 0, gid: 0, content: '', encoding: 'utf8' };
    const { steps } = journalOf(decideFrom({ ranBefore: ['app.service'] }, { steps: [write] }));
    expect(steps).toEqual([write, { do: 'restart-unit', unit: 'app.service' }]);
  });

  it('keeps the node and ends the watch if the rollback requires a new node', () => {
    const decision = decideFrom({ owesUncordon: true }, { changes: [aChange({ class: 7 })], class: 7 });
    expect(decision).toMatchObject({
      do: 'stay',
      conclusion: { kind: 'failed', code: 'rollback/failed' },
      state: { owesUncordon: true, slots: { active: { number: 2 }, bad: [{ hash: B.hash }] } },
    });
    expect(decision.conclusion.reason).toMatch(/^kubelet failed; cannot roll back: class 7/);
  });

  it('proceeds if only changes for the control plane are left', () => {
    expect(decideFrom({}, { changes: [aChange({ class: 'C' })], class: 'C' }).do).toBe('go');
  });
});

describe('the restored generation', () => {
  const withSlots = (slots: Partial<RollbackInput['state']['slots']>) => ({
    state: { ...back().state, slots: { ...back().state.slots, ...slots } },
  });

  it('is not watched if it was verified', () => {
    expect(journalOf(decideFrom()).after.slots.watch).toBeUndefined();
  });

  it('keeps its watch', () => {
    expect(journalOf(decideFrom(withSlots({ watch: WATCH }))).after.slots.watch).toBe(WATCH);
  });

  it('is watched without a rollback target if it was never verified', () => {
    const { watch } = journalOf(decideFrom({ ...withSlots({ lastKnownGood: undefined }), ranBefore: ['a'] })).after
      .slots;
    expect(watch).toMatchObject({ number: 1, bootId: 'boot-2', ranBefore: ['a'] });
    expect(watch).not.toHaveProperty('backTo');
  });
});

describe('ownershipBefore', () => {
  it('contains what was owned then and what became owned since', () => {
    const live = (value: string) => ({ value, original: undefined, aspect: 'sysctl' }) as const;
    const old: Generation = { ...OLD, ownership: { ...NOTHING_OWNED, live: new Map([['sysctl a', live('then')]]) } };
    const meanwhile = {
      ...NOTHING_OWNED,
      live: new Map([
        ['sysctl a', live('since')],
        ['sysctl b', live('since')],
      ] as const),
    };
    const { live: ours } = ownershipBefore(old, back({ meanwhile }));
    expect([...ours].map(([id, { value }]) => [id, value])).toEqual([
      ['sysctl a', 'then'],
      ['sysctl b', 'since'],
    ]);
  });
});
