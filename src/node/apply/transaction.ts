// node/apply/transaction.ts: what does every verb of the store need? To be the only one that changes this node, to time its steps, and to
// turn what the world did wrong into an outcome.
import { TransientError, UserError } from '../../base/errors.ts';
import type { Plan } from '../desired/tree.ts';
import { type ReasonCode, reasonOf } from '../reason-codes.ts';
import type { ApplyDeps, Outcome, Slots, StepTiming } from './contract.ts';
import { asStepFailed, StepFailed } from './failures.ts';
import type { Folder } from './folder.ts';
import { takeLock } from './lock.ts';
import type { State } from './records.ts';

/** Gone with the boot, like those who hold it. */
const LOCK_FOLDER = '/run/headstart/lock';

export interface Transaction {
  deps: ApplyDeps;
  folder: Folder;
  time<T>(name: string, act: () => Promise<T>): Promise<T>;
  outcome(conclusion: Conclusion, slots: Slots, plan?: Plan): Outcome;
  nothing(state: State): Outcome;
}

/** How it ended, and why. */
export type Conclusion = Pick<Outcome, 'kind' | 'code' | 'reason'>;

/** Waits for nobody: where another process changes this node, the outcome is `apply/busy`. */
export async function inTransaction(
  deps: ApplyDeps,
  folder: Folder,
  act: (transaction: Transaction) => Promise<Outcome>,
): Promise<Outcome> {
  const timings: StepTiming[] = [];
  const transaction: Transaction = {
    deps,
    folder,
    async time(name, timed) {
      const startedMs = deps.clock.nowMs();
      try {
        return await timed();
      } finally {
        timings.push({ name, startedMs, tookMs: deps.clock.nowMs() - startedMs });
      }
    },
    outcome: ({ kind, code, reason }, slots, plan) => ({ kind, code, reason, slots, plan, timings }),
    nothing: (state) => ({ ...nothingDone(state), timings }),
  };
  const lock = takeLock(deps.root === '/' ? LOCK_FOLDER : `${deps.root}${LOCK_FOLDER}`);
  if (lock === undefined) {
    const code = 'apply/busy';
    return transaction.outcome({ kind: 'waiting', code, reason: reasonOf(code).summary }, slotsOrNone(folder));
  }
  try {
    return await act(transaction);
  } catch (error) {
    return transaction.outcome({ kind: 'failed', ...whatWentWrong(error) }, slotsOrNone(folder));
  } finally {
    lock.release();
  }
}

export function nothingDone({ slots }: State): Outcome {
  const { active, watch } = slots;
  const code = active === undefined || watch !== undefined ? 'ok/nothing-to-do' : 'ok/applied';
  return { kind: 'unchanged', code, reason: reasonOf(code).summary, timings: [], slots };
}

/** A bug, or a person's word to stop, is not an outcome. */
function whatWentWrong(error: unknown): { code: ReasonCode; reason: string } {
  const failure = asStepFailed(error, 'what headstart remembers of this node could not be written');
  if (failure instanceof StepFailed) return { code: failure.code, reason: failure.message };
  if (error instanceof TransientError) return { code: 'apply/command-failed', reason: error.message };
  if (!isUnreadable(error)) throw error;
  return { code: 'apply/memory-unreadable', reason: error.message };
}

function isUnreadable(error: unknown): error is UserError {
  return error instanceof UserError && error.code === 'apply/memory-unreadable';
}

function slotsOrNone(folder: Folder): Slots {
  try {
    return folder.readState().slots;
  } catch (error) {
    if (isUnreadable(error)) return { bad: [] }; // which is what is being told
    throw error;
  }
}
