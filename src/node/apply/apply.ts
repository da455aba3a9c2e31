// node/apply/apply.ts: how is a document applied? What was cut off is finished first; then the node is observed, decide.ts decides, and what
// it decided is done: journal.ts makes the change.
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

/** `again`: a person goes back to this generation. */
export async function apply(
  transaction: Transaction,
  assignment: Assignment,
  options: ApplyOptions,
  again?: Generation,
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
  if (decision.do !== 'go') return finishWithoutChange(transaction, decision, { assignment, again, here, state });
  signal?.throwIfAborted();
  const next = nextGeneration(transaction, { assignment, again, here, state });
  const isAsked = isToBeWatched(next) && here.observed.moment === 'running';
  const journal = journalOf(next, isAsked ? await deps.probes.node() : undefined);
  return makeChange(transaction, journal, decision.conclusion, here.plan);
}

interface ApplyContext {
  assignment: Assignment;
  again: Generation | undefined;
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
  const isRunning = here.observed.moment === 'running';
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
  { assignment, again, here, state }: ApplyContext,
): NextGeneration {
  const { active } = state.slots;
  const ofActive = active !== undefined && isActive(assignment, state.slots) ? active.number : undefined;
  const known = again?.number ?? ofActive;
  return {
    assignment,
    here,
    state,
    number: known ?? state.lastNumber + 1,
    kept: known === undefined ? undefined : folder.readGeneration(known),
    isAgain: again !== undefined,
    stamp: { atMs: deps.clock.nowMs(), bootId: deps.bootId, vmId: deps.vmId },
  };
}

/** What the node was told, also when it does nothing about it. */
async function rememberAssigned({ deps, folder }: Transaction, state: State, assignment: Assignment): Promise<Slots> {
  if (state.slots.assigned?.hash === assignment.hash) return state.slots;
  const slots = { ...state.slots, assigned: slotOf(assignment, 0, { atMs: deps.clock.nowMs(), vmId: deps.vmId }) };
  await folder.writeState({ ...state, slots });
  return slots;
}

/** The node is what the document asks for: only what is remembered of it may be new. */
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
