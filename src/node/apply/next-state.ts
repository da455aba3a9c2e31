// node/apply/next-state.ts: what is remembered of the node once a document is in force: which slots, which generation, what is watched? Pure.
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
  /** The record of this number, where the node runs it or a person goes back to it. */
  kept: Generation | undefined;
  /** A person goes back to it. */
  isAgain: boolean;
  stamp: ApplyStamp;
}

/** When, in which boot and on which machine. */
export type ApplyStamp = Pick<ApplyDeps, 'bootId' | 'vmId'> & { atMs: number };

/** Without a change of the node. */
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

/** `nodeBefore`: undefined where nobody asked. */
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
    isBeforeKubelet: here.observed.moment !== 'running',
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
  const backTo = [lastKnownGood?.number, active?.number].find((one) => one !== undefined && one !== number);
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

/** There is a record already of what runs and of what a person goes back to; but the platform may say something new of the instance. */
export function generationToKeep(next: NextGeneration): Generation | undefined {
  const { kept, assignment } = next;
  const isSame = kept !== undefined && JSON.stringify(kept.assignment.facts) === JSON.stringify(assignment.facts);
  return isSame ? undefined : generationOf(next);
}

export function generationOf({ assignment, here, number, stamp }: NextGeneration): Generation {
  return { number, appliedMs: stamp.atMs, assignment, ownership: here.plan.ownership };
}

/** What runs is good for now; what a person went back from does not return with the next look at the metadata. */
function badAfter({ state, assignment, isAgain, stamp }: NextGeneration): Slots['bad'] {
  const { active, bad } = state.slots;
  const all = isAgain && active ? withBad(bad, active, 'rollback/done', stamp.atMs) : bad;
  return withoutHash(all, assignment.hash);
}
