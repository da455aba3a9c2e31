// node/apply/apply.ts: how is a document applied? Finish an interrupted change first, observe the node, let decide.ts
// decide, then let journal.ts make the change.
import { renderOwnership } from '../plan/ownership-file.ts';
import type { ApplyOptions, ApplyOutcome, Assignment, Slots } from './contract.ts';
import { type ApplyDecision, decide, isActive, refusalOf } from './decide.ts';
import { execute } from './execute.ts';
import { isUnfinished, makeChange, resume } from './journal.ts';
import {
  generationOf,
  generationToKeep,
  isToBeWatched,
  journalOf,
  type NextGeneration,
  stateWithoutChange,
} from './next-state.ts';
import { type ObservedPlan, observeAndPlan, wantedBy } from './observe-and-plan.ts';
import { uncordonIfOwed } from './owed-uncordon.ts';
import type { Generation, State } from './records.ts';
import { slotOf } from './slots.ts';
import type { Transaction } from './transaction.ts';

/** `rollbackTo`: an operator ordered a rollback to this generation. */
export async function apply(
  transaction: Transaction,
  assignment: Assignment,
  options: ApplyOptions,
  rollbackTo?: Generation,
): Promise<ApplyOutcome> {
  const resumed = await resume(transaction);
  if (resumed !== undefined && isUnfinished(resumed)) return resumed;
  const { deps, folder, outcome } = transaction;
  const state = folder.readState();
  const { slots } = state;
  const refusal = refusalOf(assignment, slots, options);
  if (refusal !== undefined) return outcome(refusal, await rememberAssigned(transaction, state, assignment));

  const here = await transaction.time('observe', () => observeAndPlan(wantedBy(assignment), state.ownership, deps));
  const { isOrdered, signal } = options;
  const decision = decide(assignment, { slots, here, isOrdered, nowMs: deps.clock.nowMs() });
  if (decision.do !== 'go') return finishWithoutChange(transaction, decision, { assignment, rollbackTo, here, state });
  signal?.throwIfAborted();
  const next = nextGeneration(transaction, { assignment, rollbackTo, here, state });
  const isProbed = isToBeWatched(next) && here.observed.kubeletPhase === 'running';
  const journal = journalOf(next, isProbed ? await deps.probes.node() : undefined);
  return makeChange(transaction, journal, decision.conclusion, here.plan);
}

interface ApplyContext {
  assignment: Assignment;
  rollbackTo: Generation | undefined;
  here: ObservedPlan;
  state: State;
}

async function finishWithoutChange(
  transaction: Transaction,
  decision: Exclude<ApplyDecision, { do: 'go' }>,
  applicant: ApplyContext,
): Promise<ApplyOutcome> {
  const { assignment, here } = applicant;
  const { conclusion } = decision;
  const isRunning = here.observed.kubeletPhase === 'running';
  const state = isRunning ? await uncordonIfOwed(transaction, applicant.state) : applicant.state;
  if (decision.do === 'remember') {
    const slots = await remember(transaction, nextGeneration(transaction, { ...applicant, state }));
    return transaction.outcome(conclusion, slots, here.plan);
  }
  const { deps, time } = transaction;
  const isBeforeKubelet = !isRunning;
  await execute(decision.live, {
    deps,
    time,
    staged: new Map(),
    isRollback: false,
    isBeforeKubelet,
    isLaterBoot: false,
  });
  return transaction.outcome(conclusion, await rememberAssigned(transaction, state, assignment), here.plan);
}

function nextGeneration(
  { deps, folder }: Transaction,
  { assignment, rollbackTo, here, state }: ApplyContext,
): NextGeneration {
  const { active } = state.slots;
  const ofActive = active !== undefined && isActive(assignment, state.slots) ? active.number : undefined;
  const known = rollbackTo?.number ?? ofActive;
  return {
    assignment,
    here,
    state,
    number: known ?? state.lastNumber + 1,
    existing: known === undefined ? undefined : folder.readGeneration(known),
    isOrderedRollback: rollbackTo !== undefined,
    stamp: { atMs: deps.clock.nowMs(), bootId: deps.bootId, vmId: deps.vmId },
  };
}

/** Records the assigned document even when the node does not apply it. */
async function rememberAssigned({ deps, folder }: Transaction, state: State, assignment: Assignment): Promise<Slots> {
  if (state.slots.assigned?.hash === assignment.hash) return state.slots;
  const slots = { ...state.slots, assigned: slotOf(assignment, 0, { atMs: deps.clock.nowMs(), vmId: deps.vmId }) };
  await folder.writeState({ ...state, slots });
  return slots;
}

/** The node already matches the document, so only the saved state may have to change. */
async function remember({ folder }: Transaction, next: NextGeneration): Promise<Slots> {
  const after = stateWithoutChange(next);
  if (!isActive(next.assignment, next.state.slots)) {
    await folder.finish(after, generationOf(next), []);
    return after.slots;
  }
  const isSame = renderOwnership(after.ownership) === renderOwnership(next.state.ownership);
  const generation = generationToKeep(next);
  if (!isSame || generation !== undefined) await folder.finish(after, generation, []);
  return after.slots;
}
