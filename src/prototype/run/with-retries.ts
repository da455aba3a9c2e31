// prototype/run/with-retries.ts: how often, and after which pause, is a transient failure retried?
import { type Backoff, pauseMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { TransientError } from '../../base/errors.ts';
import { NoCapacity, Throttled } from '../../base/failures.ts';
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

/** Until `patientUntilMs` the number of attempts is not limited. */
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
      const isEnough = attempt >= MAX_ATTEMPTS && deps.clock.nowMs() >= patientUntilMs;
      if (!(error instanceof TransientError) || isEnough) throw error;
      await pauseBeforeRetry(step, error, attempt, deps);
    }
  }
}

export async function pauseBeforeRetry(
  step: string,
  error: TransientError,
  attempt: number,
  { clock, signal, onEvent }: RetryDeps,
): Promise<void> {
  const inMs = pauseMs(attempt, error instanceof NoCapacity ? NO_CAPACITY_BACKOFF : BACKOFF, {
    retryAfterMs: error instanceof Throttled ? error.retryAfterMs : undefined,
  });
  onEvent({ event: 'retry', step, attempt, inMs, because: error.message });
  await clock.sleep(inMs, signal);
}
