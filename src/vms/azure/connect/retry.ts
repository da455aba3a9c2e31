// vms/azure/connect/retry.ts: should a request be retried, and when? The SDK's retries are off: they are invisible and sleep on the wall clock.
import { type Backoff, pauseMs } from '../../../base/backoff.ts';
import { parseRetryAfter } from '../../../base/retry-after.ts';
import type { Patience } from './unreached.ts';

export type RequestOutcome =
  | { kind: 'answer'; status: number; headers: Readonly<Record<string, string>> }
  /** Reset, refused or timed out. */
  | { kind: 'no-answer'; patience?: Patience; why?: string };

export interface Retry {
  waitMs: number;
  why: string;
}

/** Throttled requests get more attempts, because each wait is as long as Azure requested. */
const mostTries = { throttled: 8, failed: 5 };
const triesWith: Readonly<Record<Patience, number>> = { none: 1, short: 2, usual: mostTries.failed };
const backoff: Backoff = { firstMs: 2_000, maxMs: 60_000, retryAfter: 'at-least' };
/** Without a Retry-After header. Retrying too early prolongs the throttling. */
const throttledMs = 10_000;

/** Undefined means do not retry. `tries` is the number of attempts so far. */
export function nextTry(outcome: RequestOutcome, tries: number, nowMs: number): Retry | undefined {
  if (outcome.kind === 'no-answer') {
    const { patience = 'usual', why = 'no response from Azure' } = outcome;
    return tries < triesWith[patience] ? { waitMs: pauseMs(tries, backoff), why } : undefined;
  }
  const { status, headers } = outcome;
  const retryAfterMs = parseRetryAfter(headers['retry-after'], nowMs);
  if (status === 429) {
    const waitMs = retryAfterMs ?? Math.max(pauseMs(tries, backoff), throttledMs);
    return tries < mostTries.throttled ? { waitMs, why: 'Azure throttles requests' } : undefined;
  }
  if (status === 408 || (status >= 500 && status !== 501 && status !== 505)) {
    const waitMs = pauseMs(tries, backoff, { retryAfterMs });
    return tries < mostTries.failed ? { waitMs, why: `Azure responded with ${status}` } : undefined;
  }
  return undefined;
}
