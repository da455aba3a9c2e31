// node/apply/transaction.ts: what does every verb of the store need? To be the only one that changes this node, to time its steps, and to
// turn what the world did wrong into an outcome.
import { TransientError, UserError } from '../../base/errors.ts';
import type { Plan } from '../desired/tree.ts';
import { type ReasonCode, reasonFor } from '../reason-codes.ts';
import type { ApplyDeps, ApplyOutcome, Slots, StepTiming } from './contract.ts';
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
  outcome(conclusion: Conclusion, slots: Slots, plan?: Plan): ApplyOutcome;
  nothing(state: State): ApplyOutcome;
}

/** How it ended, and why. */
export type Conclusion = Pick<ApplyOutcome, 'kind' | 'code' | 'reason'>;

/** Waits for nobody: where another process changes this node, the outcome is `apply/busy`. */
export async function inTransaction(
  deps: ApplyDeps,
  folder: Folder,
  act: (transaction: Transaction) => Promise<ApplyOutcome>,
): Promise<ApplyOutcome> {
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
    nothing: (state) => ({ ...unchangedOutcome(state), timings }),
  };
  const lock = takeLock(deps.root === '/' ? LOCK_FOLDER : `${deps.root}${LOCK_FOLDER}`);
  if (lock === undefined) {
    const code = 'apply/busy';
    return transaction.outcome({ kind: 'waiting', code, reason: reasonFor(code).summary }, slotsOrNone(folder));
  }
  try {
    return await act(transaction);
  } catch (error) {
    return transaction.outcome({ kind: 'failed', ...failureOf(error) }, slotsOrNone(folder));
  } finally {
    lock.release();
  }
}

export function unchangedOutcome({ slots }: State): ApplyOutcome {
  const { active, watch } = slots;
  const code = active === undefined || watch !== undefined ? 'ok/nothing-to-do' : 'ok/applied';
  return { kind: 'unchanged', code, reason: reasonFor(code).summary, timings: [], slots };
}

/** A bug, or a person's word to stop, is not an outcome. */
function failureOf(error: unknown): { code: ReasonCode; reason: string } {
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
