import { describe, expect, it } from 'vitest';
import { SET_SYSCTL } from '../plan/plans.testing.ts';
import { generationToKeep, isToBeWatched, journalOf, type NextGeneration, stateWithoutChange } from './next-state.ts';
import { assignmentOf } from './node-folder.testing.ts';
import { FIRST_STATE, type State } from './records.ts';
import { aSlot, here, STAMP } from './situations.testing.ts';

const A = assignmentOf({ generation: 1 });
const B = assignmentOf({ generation: 2 });

const runsA = (slots: Partial<State['slots']> = {}): State => ({
  ...FIRST_STATE,
  lastNumber: 4,
  slots: { active: aSlot(A, 1), lastKnownGood: aSlot(A, 1), assigned: aSlot(A, 1), bad: [], ...slots },
});
const next = (over: Partial<NextGeneration> = {}): NextGeneration => ({
  assignment: B,
  here: here({ steps: [SET_SYSCTL] }),
  number: 5,
  state: runsA(),
  existing: undefined,
  isOrderedRollback: false,
  stamp: STAMP,
  ...over,
});
const existing = { number: 1, appliedMs: 1, assignment: A, ownership: FIRST_STATE.ownership };

describe('a document that changes nothing', () => {
  it('becomes active, and verified if the previous document was', () => {
    const { slots, lastNumber } = stateWithoutChange(next());
    expect([slots.active?.number, slots.lastKnownGood?.number, slots.assigned?.number, lastNumber]).toEqual([
      5, 5, 5, 5,
    ]);
  });

  it('does not become verified if the previous document was not', () => {
    const { slots } = stateWithoutChange(next({ state: runsA({ lastKnownGood: undefined }) }));
    expect([slots.active?.number, slots.lastKnownGood]).toEqual([5, undefined]);
  });

  it('leaves every slot unchanged if it is already active', () => {
    const state = runsA();
    expect(stateWithoutChange(next({ assignment: A, number: 1, state })).slots).toBe(state.slots);
  });
});

describe('the journal of a change', () => {
  it('contains the new generation and a watch that rolls back to the last known good', () => {
    const journal = journalOf(next(), { isReachable: true, isReady: true, heartbeatMs: 0 });
    expect(journal).toMatchObject({ kind: 'forward', steps: [SET_SYSCTL], bootId: 'boot-2', attempts: 1 });
    expect(journal.after.slots).toMatchObject({
      active: { number: 5, vmId: 'vm-1' },
      lastKnownGood: { number: 1 },
      watch: { number: 5, backTo: 1, wasApiReachable: true },
    });
  });

  it('rolls back to no generation where kubelet never ran, so that a reboot in standby keeps the newest document', () => {
    const untried = next({
      here: here({ steps: [SET_SYSCTL] }, { kubeletPhase: 'never-ran' }),
      state: runsA({ lastKnownGood: undefined }),
    });
    expect(journalOf(untried, undefined).after.slots.watch).not.toHaveProperty('backTo');
  });

  it('rolls back to the active generation if none was verified, and to none on a first boot', () => {
    const unproven = journalOf(next({ state: runsA({ lastKnownGood: undefined }) }), undefined);
    expect(unproven.after.slots.watch?.backTo).toBe(1);
    const first = journalOf(next({ state: FIRST_STATE, number: 1 }), undefined);
    expect(first.after.slots.watch).not.toHaveProperty('backTo');
  });

  it('starts no watch for a repair or for the last known good', () => {
    const repair = next({ assignment: A, number: 1, existing });
    expect([isToBeWatched(repair), journalOf(repair, undefined).after.slots.watch]).toEqual([false, undefined]);
    const back = next({
      assignment: B,
      number: 1,
      state: runsA({ active: aSlot(assignmentOf({ generation: 9 }), 3) }),
    });
    expect([isToBeWatched(back), journalOf(back, undefined).after.slots.watch]).toEqual([false, undefined]);
  });

  it('is marked as before kubelet unless kubelet runs', () => {
    for (const kubeletPhase of ['never-ran', 'not-started', 'running'] as const) {
      const { isBeforeKubelet } = journalOf(next({ here: here({}, { kubeletPhase }) }), undefined);
      expect(isBeforeKubelet).toBe(kubeletPhase !== 'running');
    }
  });
});

describe('the document that an ordered rollback replaces', () => {
  it('becomes bad, and the restored document is no longer bad', () => {
    const bad = [{ hash: B.hash, generation: 2, code: 'verify/unit-failed', atMs: 0 }] as const;
    const { slots } = stateWithoutChange(next({ isOrderedRollback: true, state: runsA({ bad }) }));
    expect(slots.bad).toEqual([{ hash: A.hash, generation: 1, code: 'rollback/done', atMs: 1000 }]);
  });
});

describe('the record of a generation', () => {
  it('is written once, and again when the facts about the instance change', () => {
    const same = next({ assignment: A, number: 1, existing });
    expect(generationToKeep(same)).toBeUndefined();
    const facts = { ...A.facts, instance: { ...A.facts.instance, addresses: ['10.0.0.9'] } };
    expect(generationToKeep({ ...same, assignment: { ...A, facts } })).toMatchObject({ number: 1, appliedMs: 1000 });
    expect(generationToKeep(next())).toMatchObject({ number: 5, assignment: { hash: B.hash } });
  });
});
