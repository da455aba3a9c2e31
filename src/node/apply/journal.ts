// node/apply/journal.ts: how is a change made that a crash or a power cut may end at any moment? All of it is written down first; new files
// are put beside the old ones, the steps are executed in order, and what is true then is recorded. Executed again from the start after a crash,
// a change ends the same. One that cannot be finished is given up: the node goes back to what it was.
import type { Plan, Step } from '../desired/tree.ts';
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

/** A change that ends the machine each time it is made is not made a fourth time. */
const MAX_ATTEMPTS = 3;

const REBOOTING: Conclusion = {
  kind: 'waiting',
  code: 'apply/running',
  reason: 'the machine reboots to finish the change',
};

/** `conclusion`: what to say once all of it is done. */
export async function makeChange(
  transaction: Transaction,
  journal: Journal,
  conclusion: Conclusion,
  plan?: Plan,
): Promise<ApplyOutcome> {
  await transaction.time('journal', () => transaction.folder.writeJournal(journal));
  return followJournal(transaction, { journal, conclusion, plan });
}

/** What a crash, a power cut or a reboot cut off. Undefined: nothing. */
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
    const reason = `it was begun ${found.attempts} times and never ended`;
    return giveUp(transaction, { journal }, new StepFailed('apply/interrupted', reason));
  }
  await folder.writeJournal(journal);
  const kind = journal.kind === 'back' ? 'reverted' : 'applied';
  const reason = 'a change that was cut off has been finished';
  return followJournal(transaction, { journal, conclusion: { kind, code: 'apply/interrupted', reason } });
}

/** The machine is about to reboot, or what was begun is still ahead: not a moment for the next document. */
export function isUnfinished({ kind, code }: ApplyOutcome): boolean {
  return kind === 'waiting' || code === 'rollback/failed' || code === 'apply/disk-full';
}

/** The node becomes again what it was, as a change of its own. `tried`: the plan that is given up. */
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
  if (here.observed.moment === 'running') await uncordonIfOwed(transaction, folder.readState());
  return outcome;
}

/** On disk already. */
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
  // It starts once we are done, or did when it was told to.
  const kubeletSinceMs = isBeforeKubelet ? deps.clock.nowMs() : result.kubeletSinceMs;
  return record(transaction, change, { ...result, kubeletSinceMs });
}

/** Up to the reboot, if one comes next: there is one among the steps, and it has not happened. */
function stepsOfThisBoot({ steps, rebootAskedIn }: Journal, bootId: string) {
  const at = steps.findIndex((step: Step) => step.do === 'reboot');
  if (at < 0) return { steps, isRebootNext: false };
  const hasRebooted = rebootAskedIn !== undefined && rebootAskedIn !== bootId;
  return hasRebooted
    ? { steps: steps.slice(at + 1), isRebootNext: false }
    : { steps: steps.slice(0, at), isRebootNext: true };
}

/** What the world did; a bug is thrown. */
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
  // A second attempt may come after some steps of the first, and a way back comes after some steps of the way there.
  const isBegun = journal.attempts > 1 || journal.kind === 'back';
  if (isBegun) return giveUp(transaction, change, failure);
  unstage(journal.steps, deps.disk);
  await folder.dropJournal();
  const { code, message: reason } = failure;
  return transaction.outcome({ kind: 'failed', code, reason }, folder.readState().slots, plan);
}

/** All steps are done. */
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
    // The journal is still there: the next attempt records it.
    const { code, message: reason } = failureIn(error, 'the change was made, and could not be recorded');
    return transaction.outcome({ kind: 'failed', code, reason }, folder.readState().slots, plan);
  }
  if (troubles.length === 0) return transaction.outcome(conclusion, state.slots, plan);
  const reason = `${conclusion.reason}; but ${troubles.join('; ')}`;
  return transaction.outcome({ kind: 'failed', code: 'rollback/failed', reason }, state.slots, plan);
}

/** Some steps were done, and one cannot be. */
async function giveUp(
  transaction: Transaction,
  { journal, plan }: Pick<JournaledChange, 'journal' | 'plan'>,
  { code, message: reason }: StepFailed,
): Promise<ApplyOutcome> {
  const { folder, deps } = transaction;
  const state = folder.readState();
  const { active } = state.slots;
  if (journal.kind === 'back') {
    // It is still in the journal, and tried again at the next occasion.
    return transaction.outcome({ kind: 'failed', code: 'rollback/failed', reason }, state.slots, plan);
  }
  removeStaged(journal.steps, deps.disk);
  const tried = journal.after.slots.active;
  const owesUncordon = state.owesUncordon || journal.steps.some((step) => step.do === 'drain');
  if (active !== undefined && active.number === tried?.number) {
    // What runs was put right, and there is nothing before it to go back to.
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
    canMovePods: false, // what was done may be what broke it
    owesUncordon,
  };
  return rollBack(transaction, back, plan);
}
