// node/apply/journal.ts: how does a change survive a crash or a power cut at any moment? Write the whole change to the
// journal, stage new files next to the old ones, execute the steps in order, then record the new state. After a crash
// the change runs again from the start, with the same result. If a change cannot be finished, the node rolls back.
import type { Plan, PlanStep } from '../desired/tree.ts';
import type { ApplyOutcome } from './contract.ts';
import { type ExecutionResult, execute } from './execute.ts';
import { asStepFailed, isDocumentToBlame, StepFailed } from './failures.ts';
import { observeAndPlan, wantedBy } from './observe-and-plan.ts';
import { uncordonIfOwed } from './owed-uncordon.ts';
import type { Journal, State } from './records.ts';
import { decideRollback, NOTHING_DESIRED, ownershipBefore, type RollbackInput } from './rollback.ts';
import { removeStaged, type StagedFiles, stage, unstage } from './steps/stage.ts';
import type { Conclusion, Transaction } from './transaction.ts';
import { startWatch } from './watch.ts';

/** A change that crashes the machine on every attempt is not attempted a fourth time. */
const MAX_ATTEMPTS = 3;

const REBOOTING: Conclusion = {
  kind: 'waiting',
  code: 'apply/running',
  reason: 'the machine is rebooting to finish the change',
};

/** `conclusion`: the outcome if every step succeeds. */
export async function makeChange(
  transaction: Transaction,
  journal: Journal,
  conclusion: Conclusion,
  plan?: Plan,
): Promise<ApplyOutcome> {
  await transaction.time('journal', () => transaction.folder.writeJournal(journal));
  return followJournal(transaction, { journal, conclusion, plan });
}

/** Resumes a change that a crash, a power cut or a reboot interrupted. Undefined: there is none. */
export async function resume(transaction: Transaction): Promise<ApplyOutcome | undefined> {
  const { deps, folder } = transaction;
  const found = folder.readJournal();
  if (found === undefined) return undefined;
  if (found.rebootAskedIn === deps.bootId) {
    await deps.reboot();
    return transaction.outcome(REBOOTING, folder.readState().slots);
  }
  const journal: Journal = { ...found, attempts: found.attempts + 1 };
  if (journal.kind === 'forward' && journal.attempts > MAX_ATTEMPTS) {
    const reason = `it was started ${found.attempts} times and never finished`;
    return giveUp(transaction, { journal }, new StepFailed('apply/interrupted', reason));
  }
  await folder.writeJournal(journal);
  const kind = journal.kind === 'back' ? 'reverted' : 'applied';
  const reason = 'finished an interrupted change';
  return followJournal(transaction, { journal, conclusion: { kind, code: 'apply/interrupted', reason } });
}

/** The machine is about to reboot, or the interrupted change is still in the journal: the next document must wait. */
export function isUnfinished({ kind, code }: ApplyOutcome): boolean {
  return kind === 'waiting' || code === 'rollback/failed' || code === 'apply/disk-full';
}

/** A rollback is a journaled change, too. `tried`: the plan that failed. */
export async function rollBack(transaction: Transaction, back: RollbackInput, tried?: Plan): Promise<ApplyOutcome> {
  const { deps, folder } = transaction;
  const old = back.target === undefined ? undefined : folder.readWithCurrentFacts(back.target, back.state);
  const want = old === undefined ? NOTHING_DESIRED : wantedBy(old.assignment);
  const here = await transaction.time('observe', () => observeAndPlan(want, ownershipBefore(old, back), deps));
  const stamp = { atMs: deps.clock.nowMs(), bootId: deps.bootId, vmId: deps.vmId };
  const decision = decideRollback(back, { old, here, stamp });
  if (decision.do === 'stay') {
    await folder.finish(decision.state, undefined, []);
    return transaction.outcome(decision.conclusion, decision.state.slots, here.plan);
  }
  folder.freeBallast();
  const outcome = await makeChange(transaction, decision.journal, decision.conclusion, tried ?? here.plan);
  if (here.observed.kubeletPhase === 'running') await uncordonIfOwed(transaction, folder.readState());
  return outcome;
}

interface JournaledChange {
  journal: Journal;
  conclusion: Conclusion;
  plan?: Plan | undefined;
}

async function followJournal(transaction: Transaction, change: JournaledChange): Promise<ApplyOutcome> {
  const { deps, folder, time } = transaction;
  const { journal, plan } = change;
  const { steps, isRebootNext } = stepsOfThisBoot(journal, deps.bootId);
  const isLaterBoot = journal.bootId !== deps.bootId;
  const isBeforeKubelet = journal.isBeforeKubelet || isLaterBoot;
  let staged: StagedFiles;
  let result: ExecutionResult;
  try {
    staged = await time('stage', () => stage(journal.steps, deps));
  } catch (error) {
    return giveUpStaging(transaction, change, failureIn(error, 'a file of the change could not be written'));
  }
  try {
    const isRollback = journal.kind === 'back';
    result = await execute(steps, { deps, staged, isRollback, isBeforeKubelet, isLaterBoot, time });
    if (isRebootNext) {
      await deps.disk.syncFolders([...result.touched]);
      await folder.writeJournal({ ...journal, rebootAskedIn: deps.bootId });
      await deps.reboot();
      return transaction.outcome(REBOOTING, folder.readState().slots, plan);
    }
  } catch (error) {
    return giveUp(transaction, change, failureIn(error, 'a file of the change could not be written'));
  }
  // Before kubelet's first start, heartbeats count from now; otherwise from the restart of kubelet.
  const kubeletSinceMs = isBeforeKubelet ? deps.clock.nowMs() : result.kubeletSinceMs;
  return record(transaction, change, { ...result, kubeletSinceMs });
}

/** The steps before the reboot, or those after it once it has happened. */
function stepsOfThisBoot({ steps, rebootAskedIn }: Journal, bootId: string) {
  const at = steps.findIndex((step: PlanStep) => step.do === 'reboot');
  if (at < 0) return { steps, isRebootNext: false };
  const hasRebooted = rebootAskedIn !== undefined && rebootAskedIn !== bootId;
  return hasRebooted
    ? { steps: steps.slice(at + 1), isRebootNext: false }
    : { steps: steps.slice(0, at), isRebootNext: true };
}

/** Throws anything that is not an expected failure. */
function failureIn(error: unknown, what: string): StepFailed {
  const failure = asStepFailed(error, what);
  if (failure instanceof StepFailed) return failure;
  throw failure;
}

async function giveUpStaging(
  transaction: Transaction,
  change: JournaledChange,
  failure: StepFailed,
): Promise<ApplyOutcome> {
  const { deps, folder } = transaction;
  const { journal, plan } = change;
  // The first attempt, or the change that is being rolled back, may have executed some steps.
  const isBegun = journal.attempts > 1 || journal.kind === 'back';
  if (isBegun) return giveUp(transaction, change, failure);
  unstage(journal.steps, deps.disk);
  await folder.dropJournal();
  const { code, message: reason } = failure;
  return transaction.outcome({ kind: 'failed', code, reason }, folder.readState().slots, plan);
}

async function record(
  transaction: Transaction,
  { journal, conclusion, plan }: JournaledChange,
  { touched, owesUncordon, troubles, kubeletSinceMs }: ExecutionResult,
): Promise<ApplyOutcome> {
  const { deps, folder, time } = transaction;
  const { after } = journal;
  const watch =
    after.slots.watch &&
    startWatch(after.slots.watch, { nowMs: deps.clock.nowMs(), bootId: deps.bootId, kubeletSinceMs });
  const state: State = {
    ...after,
    ...(watch && { slots: { ...after.slots, watch } }),
    owesUncordon: after.owesUncordon || owesUncordon,
  };
  try {
    await time('commit', () => folder.finish(state, journal.generation, touched));
  } catch (error) {
    // The journal still exists, so the next attempt records the change.
    const { code, message: reason } = failureIn(error, 'the change was made but could not be recorded');
    return transaction.outcome({ kind: 'failed', code, reason }, folder.readState().slots, plan);
  }
  if (troubles.length === 0) return transaction.outcome(conclusion, state.slots, plan);
  const reason = `${conclusion.reason}; the rollback is incomplete: ${troubles.join('; ')}`;
  return transaction.outcome({ kind: 'failed', code: 'rollback/failed', reason }, state.slots, plan);
}

/** Rolls back after a step failed. */
async function giveUp(
  transaction: Transaction,
  { journal, plan }: Pick<JournaledChange, 'journal' | 'plan'>,
  { code, message: reason }: StepFailed,
): Promise<ApplyOutcome> {
  const { folder, deps } = transaction;
  const state = folder.readState();
  const { active } = state.slots;
  if (journal.kind === 'back') {
    // The rollback stays in the journal; the next call of the store retries it.
    return transaction.outcome({ kind: 'failed', code: 'rollback/failed', reason }, state.slots, plan);
  }
  removeStaged(journal.steps, deps.disk);
  const tried = journal.after.slots.active;
  const owesUncordon = state.owesUncordon || journal.steps.some((step) => step.do === 'drain');
  if (active !== undefined && active.number === tried?.number) {
    // This was a repair of the active document: there is no earlier state to roll back to.
    await folder.finish({ ...state, ownership: journal.ownershipMeanwhile, owesUncordon }, undefined, []);
    await uncordonIfOwed(transaction, folder.readState());
    return transaction.outcome({ kind: 'failed', code, reason }, state.slots, plan);
  }
  const isToBlame = isDocumentToBlame(code) || code === 'apply/interrupted';
  const back: RollbackInput = {
    state,
    code,
    reason,
    target: active?.number,
    blamed: isToBlame ? tried : undefined,
    meanwhile: journal.ownershipMeanwhile,
    ranBefore: journal.after.slots.watch?.ranBefore ?? [],
    canMovePods: false, // the executed steps may have broken kubelet
    owesUncordon,
  };
  return rollBack(transaction, back, plan);
}
