// vms/azure/connect/retry.ts: is this answer worth asking again, and when? The SDK's own retries are off: they cannot be seen and sleep on the wall clock.
import { type Backoff, pauseMs } from '../../../base/backoff.ts';
import { parseRetryAfter } from '../../../base/retry-after.ts';
import type { Patience } from './unreached.ts';

export type RequestOutcome =
  | { kind: 'answer'; status: number; headers: Readonly<Record<string, string>> }
  /** Reset, refused, timed out: nothing came back. */
  | { kind: 'no-answer'; patience?: Patience; why?: string };

export interface Retry {
  waitMs: number;
  why: string;
}

/** Throttling is not failure: it is asked again more often, because each wait is as long as the service said. */
const mostTries = { throttled: 8, failed: 5 };
const triesWith: Readonly<Record<Patience, number>> = { none: 1, short: 2, usual: mostTries.failed };
const backoff: Backoff = { firstMs: 2_000, maxMs: 60_000, retryAfter: 'at-least' };
/** Where the service says nothing: asking too early is refused and makes the wait longer. */
const throttledMs = 10_000;

/** Undefined: give the outcome to the caller. `tries` counts the ones made so far. */
export function nextTry(outcome: RequestOutcome, tries: number, nowMs: number): Retry | undefined {
  if (outcome.kind === 'no-answer') {
    const { patience = 'usual', why = 'no answer from Azure' } = outcome;
    return tries < triesWith[patience] ? { waitMs: pauseMs(tries, backoff), why } : undefined;
  }
  const { status, headers } = outcome;
  const retryAfterMs = parseRetryAfter(headers['retry-after'], nowMs);
  if (status === 429) {
    const waitMs = retryAfterMs ?? Math.max(pauseMs(tries, backoff), throttledMs);
    return tries < mostTries.throttled ? { waitMs, why: 'Azure asks to slow down' } : undefined;
  }
  if (status === 408 || (status >= 500 && status !== 501 && status !== 505)) {
    const waitMs = pauseMs(tries, backoff, { retryAfterMs });
    return tries < mostTries.failed ? { waitMs, why: `Azure answered ${status}` } : undefined;
  }
  return undefined;
}
