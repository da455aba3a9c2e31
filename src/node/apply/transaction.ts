// node/apply/transaction.ts: what do all operations of the store share? The lock, the timing of steps, and the
// conversion of failures into outcomes.
import { TransientError, UserError } from '../../base/errors.ts';
import type { Plan } from '../desired/tree.ts';
import { type ReasonCode, reasonFor } from '../reason-codes.ts';
import type { ApplyDeps, ApplyOutcome, Slots, StepTiming } from './contract.ts';
import { asStepFailed, StepFailed } from './failures.ts';
import type { Folder } from './folder.ts';
import { takeLock } from './lock.ts';
import type { State } from './records.ts';

/** On a tmpfs: a reboot removes all locks. */
const LOCK_FOLDER = '/run/headstart/lock';

export interface Transaction {
  deps: ApplyDeps;
  folder: Folder;
  time<T>(name: string, act: () => Promise<T>): Promise<T>;
  outcome(conclusion: Conclusion, slots: Slots, plan?: Plan): ApplyOutcome;
  nothing(state: State): ApplyOutcome;
}

export type Conclusion = Pick<ApplyOutcome, 'kind' | 'code' | 'reason'>;

/** Does not wait for the lock: if another change is running, the outcome is `apply/busy`. */
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

/** Rethrows bugs and aborts. */
function failureOf(error: unknown): { code: ReasonCode; reason: string } {
  const failure = asStepFailed(error, 'could not write the saved state of this node');
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
    if (isUnreadable(error)) return { bad: [] }; // the outcome already reports it
    throw error;
  }
}
