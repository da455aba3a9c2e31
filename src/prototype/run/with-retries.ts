// prototype/run/with-retries.ts: which failures are retried, how often, and after which pause?
import { type Backoff, pauseMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { Interrupted, TransientError, UserError } from '../../base/errors.ts';
import { NoCapacity, NotFound, Throttled } from '../../base/failures.ts';
import { LeaseHeld } from '../../cluster/lease-held.ts';
import type { RunEventListener } from './run-event.ts';

export const MAX_ATTEMPTS = 6;
const BACKOFF: Backoff = { firstMs: 5_000, maxMs: 5 * 60_000 };
/** A region does not regain capacity within seconds. */
const NO_CAPACITY_BACKOFF: Backoff = { ...BACKOFF, firstMs: 20_000 };

export interface RetryDeps {
  clock: Clock;
  signal: AbortSignal;
  onEvent: RunEventListener;
}

/** Until `patientUntilMs` the number of attempts is not limited, and refusals are retried too. */
export async function withRetries<T>(
  step: string,
  call: () => Promise<T>,
  deps: RetryDeps,
  patientUntilMs = 0,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const isPatient = deps.clock.nowMs() < patientUntilMs;
      const mayRetry = isPatient ? mayPass(error) : error instanceof TransientError && attempt < MAX_ATTEMPTS;
      if (!mayRetry) throw error;
      await pauseBeforeRetry(step, error as Error, attempt, deps);
    }
  }
}

/**
 * Whether waiting may help a run that restores its donor. Rights take minutes to propagate and a policy may be lifted. Not if the run
 * was interrupted, another run holds the pool, or the thing is gone.
 */
export function mayPass(error: unknown): boolean {
  if (error instanceof TransientError) return true;
  if (error instanceof Interrupted || error instanceof LeaseHeld || error instanceof NotFound) return false;
  return error instanceof UserError;
}

export async function pauseBeforeRetry(
  step: string,
  error: Error,
  attempt: number,
  { clock, signal, onEvent }: RetryDeps,
): Promise<void> {
  const inMs = pauseMs(attempt, error instanceof NoCapacity ? NO_CAPACITY_BACKOFF : BACKOFF, {
    retryAfterMs: error instanceof Throttled ? error.retryAfterMs : undefined,
  });
  onEvent({ event: 'retry', step, attempt, inMs, because: error.message });
  await clock.sleep(inMs, signal);
}
