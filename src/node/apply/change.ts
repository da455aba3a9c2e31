// node/apply/change.ts: how does a change end? Done, to be finished after a reboot, not begun for want of space, or taken back
// because some of it could not be done; and at the next start, if it was cut off, in one of the same ways.

import { NOTHING_OWNED, type Observed, type Ownership, type Plan } from '../desired/tree.ts';
import { judgePlan } from '../plan/policy.ts';
import type { ReasonCode } from '../reason-codes.ts';
import { carryOut } from './carry-out.ts';
import type { Outcome, Slot, Slots, Watch } from './contract.ts';
import { isDocumentToBlame, StepFailed } from './failures.ts';
import { planFor, wantedBy } from './plan-for.ts';
import type { Generation, Journal, State } from './records.ts';
import { slotOf, withBad } from './slots.ts';
import { dropWaiting } from './stage.ts';
import { watchFor } from './watch.ts';
import { asDriftFrom, BACK_POLICY, NOTHING_WANTED, withoutDrain, withRevived } from './way-back.ts';
import type { Said, Work } from './work.ts';

/** One that ends the machine each time it is made is not made a fourth time. */
const MAX_ATTEMPTS = 3;

const REBOOTING: Said = {
  kind: 'waiting',
  code: 'apply/running',
  reason: 'the machine reboots to finish the change',
};

/** `done`: what to say once all of it is. */
export async function makeChange(work: Work, journal: Journal, done: Said, plan?: Plan): Promise<Outcome> {
  await work.time('journal', () => work.folder.writeJournal(journal));
  return carryThrough(work, journal, done, plan);
}

/** What a crash, a power cut or a reboot cut off. Undefined: nothing. */
export async function resume(work: Work): Promise<Outcome | undefined> {
  const { edges, folder } = work;
  const found = folder.readJournal();
  if (found === undefined) return undefined;
  if (found.rebootAskedIn === edges.bootId) {
    await edges.reboot();
    return work.outcome(REBOOTING, folder.readState().slots);
  }
  const journal: Journal = { ...found, attempts: found.attempts + 1 };
  if (journal.kind === 'forward' && journal.attempts > MAX_ATTEMPTS) {
    const reason = `it was begun ${found.attempts} times and never ended`;
    return giveUp(work, journal, new StepFailed('apply/interrupted', reason));
  }
  await folder.writeJournal(journal);
  const kind = journal.kind === 'back' ? 'reverted' : 'applied';
  const reason = 'a change that was cut off has been finished';
  return carryThrough(work, journal, { kind, code: 'apply/interrupted', reason });
}

/** The machine is about to reboot, or what was begun is still ahead: not a moment for the next document. */
export function isUnfinished({ kind, code }: Outcome): boolean {
  return kind === 'waiting' || code === 'rollback/failed' || code === 'apply/disk-full';
}

export interface Back {
  state: State;
  code: ReasonCode;
  reason: string;
  /** Undefined: the image as it was. */
  target: number | undefined;
  /** Not tried again by itself. */
  blamed: Slot | undefined;
  /** What may be ours by now. */
  meanwhile: Ownership;
  ranBefore: readonly string[];
  /** Those that would not survive the way back: somebody would end them, and can be told to. */
  canMovePods: boolean;
  /** Nobody knows whether the node is in service. */
  owesUncordon: boolean;
}

/** The node becomes again what it was, as a change of its own. */
export async function goBack(work: Work, back: Back, tried?: Plan): Promise<Outcome> {
  const { edges, folder } = work;
  const { state, code, reason, target, meanwhile, blamed, ranBefore, canMovePods, owesUncordon } = back;
  const old = target === undefined ? undefined : folder.readForNow(target, state);
  const want = old === undefined ? NOTHING_WANTED : wantedBy(old.assignment);
  const ownership = asDriftFrom(old?.ownership ?? NOTHING_OWNED, meanwhile);
  const { observed, plan } = await work.time('observe', () => planFor(want, ownership, edges));
  // On its first boot a node has nothing else to run: there, a document is tried as often as it is delivered.
  const isBlamed = blamed !== undefined && old !== undefined;
  const bad = isBlamed ? withBad(state.slots.bad, blamed, code, edges.clock.nowMs()) : state.slots.bad;
  const verdict = judgePlan(plan, BACK_POLICY, {
    moment: observed.moment,
    nowMs: edges.clock.nowMs(),
    isOrdered: true,
  });
  if (verdict.decision === 'blocked' && verdict.code !== 'plan/needs-control-plane') {
    const stuck = { ...state, slots: { ...state.slots, bad, watch: undefined }, ownership: meanwhile, owesUncordon };
    await folder.finish(stuck, undefined, []);
    const said = {
      kind: 'failed',
      code: 'rollback/failed',
      reason: `${reason}; no way back: ${verdict.reason}`,
    } as const;
    return work.outcome(said, stuck.slots, plan);
  }

  const slot = old && slotOf(old.assignment, old.number, { atMs: edges.clock.nowMs(), vmId: edges.vmId });
  const isKnownGood = slot !== undefined && slot.number === state.slots.lastKnownGood?.number;
  // What was being watched before a change that came to nothing still is.
  const watched = slot !== undefined && slot.number === state.slots.watch?.number ? state.slots.watch : undefined;
  const watch = watched ?? (old && !isKnownGood ? watchAgain(work, plan, observed, old, ranBefore) : undefined);
  const slots: Slots = { ...state.slots, active: slot, bad, watch };
  const journal: Journal = {
    kind: 'back',
    steps: withRevived(canMovePods ? plan : withoutDrain(plan), observed, ranBefore),
    isBeforeKubelet: observed.moment !== 'running',
    bootId: edges.bootId,
    attempts: 1,
    ownershipMeanwhile: asDriftFrom(plan.ownershipMeanwhile, meanwhile),
    after: { ...state, slots, ownership: plan.ownership, owesUncordon },
    generation: old,
  };
  folder.makeRoom();
  const outcome = await makeChange(work, journal, { kind: old ? 'reverted' : 'failed', code, reason }, tried ?? plan);
  if (observed.moment === 'running') await payDebts(work, folder.readState());
  return outcome;
}

/** A drained node goes back into service as soon as somebody can be told. */
export async function payDebts({ edges, folder }: Work, state: State): Promise<State> {
  if (!state.owesUncordon) return state;
  try {
    await edges.node.uncordon();
  } catch {
    return state; // still owed
  }
  const next = { ...state, owesUncordon: false };
  await folder.writeState(next);
  return next;
}

async function carryThrough(work: Work, journal: Journal, done: Said, plan?: Plan): Promise<Outcome> {
  const { folder } = work;
  const carried = await carryOut(journal, work);
  switch (carried.kind) {
    case 'done': {
      const { troubles, state } = carried;
      if (troubles.length === 0) return work.outcome(done, state.slots, plan);
      const reason = `${done.reason}; but ${troubles.join('; ')}`;
      return work.outcome({ kind: 'failed', code: 'rollback/failed', reason }, state.slots, plan);
    }
    case 'rebooting':
      return work.outcome(REBOOTING, folder.readState().slots, plan);
    case 'not-begun':
    case 'unrecorded': {
      const { code, message: reason } = carried.failure;
      return work.outcome({ kind: 'failed', code, reason }, folder.readState().slots, plan);
    }
    case 'failed':
      return giveUp(work, journal, carried.failure, plan);
  }
}

/** Some steps were done, and one cannot be. */
async function giveUp(work: Work, journal: Journal, failure: StepFailed, plan?: Plan): Promise<Outcome> {
  const { folder, edges } = work;
  const { code, message: reason } = failure;
  const state = folder.readState();
  const { active } = state.slots;
  if (journal.kind === 'back') {
    // It is still in the journal, and tried again at the next occasion.
    return work.outcome({ kind: 'failed', code: 'rollback/failed', reason }, state.slots, plan);
  }
  dropWaiting(journal.steps, edges.disk);
  const tried = journal.after.slots.active;
  const owesUncordon = state.owesUncordon || journal.steps.some((step) => step.do === 'drain');
  if (active !== undefined && active.number === tried?.number) {
    // What runs was put right, and there is nothing before it to go back to.
    await folder.finish({ ...state, ownership: journal.ownershipMeanwhile, owesUncordon }, undefined, []);
    await payDebts(work, folder.readState());
    return work.outcome({ kind: 'failed', code, reason }, state.slots, plan);
  }
  const isToBlame = isDocumentToBlame(code) || code === 'apply/interrupted';
  const back: Back = {
    state,
    code,
    reason,
    target: active?.number,
    blamed: isToBlame ? tried : undefined,
    meanwhile: journal.ownershipMeanwhile,
    ranBefore: journal.after.slots.watch?.ranBefore ?? [],
    canMovePods: false, // what was done may be what broke it
    owesUncordon,
  };
  return goBack(work, back, plan);
}

/** An earlier generation that was never found good, with nothing behind it. */
function watchAgain(work: Work, plan: Plan, observed: Observed, old: Generation, ranBefore: readonly string[]): Watch {
  const { clock, bootId } = work.edges;
  const watch = watchFor(plan, observed, {
    number: old.number,
    nowMs: clock.nowMs(),
    bootId,
    before: undefined,
    backTo: undefined,
    isBackGood: false,
    update: { mode: 'auto', tryForMs: 0 },
  });
  return { ...watch, ranBefore };
}
