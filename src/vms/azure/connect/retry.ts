// vms/azure/connect/retry.ts: is this answer worth asking again, and when? The SDK's own retries are off: they cannot be seen and sleep on the wall clock.
import { retryAfterMs } from './retry-after.ts';
import type { Patience } from './unreached.ts';

export type Outcome =
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
const firstBackoffMs = 2_000;
const longestBackoffMs = 60_000;

/** Undefined: give the outcome to the caller. `tries` counts the ones made so far. */
export function nextTry(outcome: Outcome, tries: number, nowMs: number): Retry | undefined {
  const backoffMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** (tries - 1));
  if (outcome.kind === 'no-answer') {
    const { patience = 'usual', why = 'no answer from Azure' } = outcome;
    return tries < triesWith[patience] ? { waitMs: backoffMs, why } : undefined;
  }
  const { status, headers } = outcome;
  if (status === 429) {
    // Asking earlier than told is refused and makes the wait longer.
    const waitMs = retryAfterMs(headers, nowMs) ?? Math.max(backoffMs, 10_000);
    return tries < mostTries.throttled ? { waitMs, why: 'Azure asks to slow down' } : undefined;
  }
  if (status === 408 || (status >= 500 && status !== 501 && status !== 505)) {
    const waitMs = Math.max(retryAfterMs(headers, nowMs) ?? 0, backoffMs);
    return tries < mostTries.failed ? { waitMs, why: `Azure answered ${status}` } : undefined;
  }
  return undefined;
}
