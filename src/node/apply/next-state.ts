// node/apply/next-state.ts: which slots, generation and watch does the node save once a document is applied? Pure.
import type { ApplyDeps, Assignment, NodeHealth, Slots, Watch } from './contract.ts';
import { isActive } from './decide.ts';
import type { ObservedPlan } from './observe-and-plan.ts';
import type { Generation, Journal, State } from './records.ts';
import { slotOf, withBad, withoutHash } from './slots.ts';
import { watchFor } from './watch.ts';

export interface NextGeneration {
  assignment: Assignment;
  here: ObservedPlan;
  number: number;
  state: State;
  /** The existing record of this number, if the node runs it or rolls back to it. */
  existing: Generation | undefined;
  /** An operator ordered a rollback to it. */
  isOrderedRollback: boolean;
  stamp: ApplyStamp;
}

export type ApplyStamp = Pick<ApplyDeps, 'bootId' | 'vmId'> & { atMs: number };

/** The next state if the node itself does not change. */
export function stateWithoutChange(next: NextGeneration): State {
  const { assignment, here, number, state, stamp } = next;
  if (isActive(assignment, state.slots)) return { ...state, ownership: here.plan.ownership };
  const { active, lastKnownGood, watch } = state.slots;
  const slot = slotOf(assignment, number, stamp);
  const isStillGood = active !== undefined && active.number === lastKnownGood?.number;
  return stateAfter(next, {
    assigned: slot,
    active: slot,
    lastKnownGood: isStillGood ? slot : lastKnownGood,
    bad: badAfter(next),
    watch: watch && { ...watch, number },
  });
}

/** `nodeBefore`: undefined if the Node was not probed. */
export function journalOf(next: NextGeneration, nodeBefore: NodeHealth | undefined): Journal {
  const { assignment, here, number, state, stamp } = next;
  const slot = slotOf(assignment, number, stamp);
  const { lastKnownGood } = state.slots;
  const slots: Slots = isActive(assignment, state.slots)
    ? { ...state.slots, assigned: slot }
    : {
        assigned: slot,
        active: slot,
        lastKnownGood,
        bad: badAfter(next),
        watch: isToBeWatched(next) ? watchOf(next, nodeBefore) : undefined,
      };
  return {
    kind: 'forward',
    steps: here.plan.steps,
    isBeforeKubelet: here.observed.kubeletPhase !== 'running',
    bootId: stamp.bootId,
    attempts: 1,
    ownershipMeanwhile: here.plan.ownershipMeanwhile,
    after: stateAfter(next, slots),
    generation: generationToKeep(next),
  };
}

export function isToBeWatched({ assignment, state, number }: NextGeneration): boolean {
  return !isActive(assignment, state.slots) && number !== state.slots.lastKnownGood?.number;
}

function watchOf({ assignment, here, number, state, stamp }: NextGeneration, before: NodeHealth | undefined): Watch {
  const { lastKnownGood, active } = state.slots;
  // Where kubelet never ran, as in standby, the earlier generation is no better known than this one.
  const isTried = here.observed.kubeletPhase !== 'never-ran';
  const earlier = isTried ? [lastKnownGood?.number, active?.number] : [];
  const backTo = earlier.find((one) => one !== undefined && one !== number);
  return watchFor(here.plan, here.observed, {
    number,
    nowMs: stamp.atMs,
    bootId: stamp.bootId,
    before,
    backTo,
    isBackGood: backTo !== undefined && backTo === lastKnownGood?.number,
    update: assignment.config.update,
  });
}

function stateAfter({ state, here, number }: NextGeneration, slots: Slots): State {
  return { ...state, slots, lastNumber: Math.max(state.lastNumber, number), ownership: here.plan.ownership };
}

/** An existing record is written again only if the facts about the instance have changed. */
export function generationToKeep(next: NextGeneration): Generation | undefined {
  const { existing, assignment } = next;
  const isSame =
    existing !== undefined && JSON.stringify(existing.assignment.facts) === JSON.stringify(assignment.facts);
  return isSame ? undefined : generationOf(next);
}

export function generationOf({ assignment, here, number, stamp }: NextGeneration): Generation {
  return { number, appliedMs: stamp.atMs, assignment, ownership: here.plan.ownership };
}

/** The applied document is no longer bad. After an ordered rollback the replaced one is, so that the next fetch does not apply it again. */
function badAfter({ state, assignment, isOrderedRollback, stamp }: NextGeneration): Slots['bad'] {
  const { active, bad } = state.slots;
  const all = isOrderedRollback && active ? withBad(bad, active, 'rollback/done', stamp.atMs) : bad;
  return withoutHash(all, assignment.hash);
}
