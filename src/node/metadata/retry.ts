// node/metadata/retry.ts: how long and how often is a source asked? Quickly at first, then with growing pauses that differ
// from node to node; after the deadline the node counts as degraded, and goes on asking: one that gives up needs a person.
import { longestPauseMs, pauseMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { ReasonCode } from '../reason-codes.ts';
import { type FetchedMetadata, MetadataFailure, type MetadataSource } from './source.ts';

export interface RetryOptions {
  clock: Clock;
  /** From 0 up to 1. */
  random(): number;
  signal?: AbortSignal | undefined;
  onEvent?(event: RetryEvent): void;
  profile?: Partial<RetryProfile>;
}

export interface RetryProfile {
  firstTimeoutMs: number;
  maxTimeoutMs: number;
  firstPauseMs: number;
  maxPauseMs: number;
  /** So long it is asked as often as at first while there is no way to the service: the network is being configured. */
  networkMs: number;
  /** What a platform may ask for with Retry-After. */
  maxRetryAfterMs: number;
  deadlineMs: number;
  degradedPauseMs: number;
}

export const RETRY_PROFILE: RetryProfile = {
  firstTimeoutMs: 2000,
  maxTimeoutMs: 10_000,
  firstPauseMs: 100,
  maxPauseMs: 5000,
  networkMs: 60_000,
  maxRetryAfterMs: 120_000,
  deadlineMs: 300_000,
  degradedPauseMs: 30_000,
};

/** `failed` is told when the cause changes, not every time. */
export interface RetryEvent {
  kind: 'failed' | 'degraded';
  reason: ReasonCode;
  message: string;
  attempts: number;
  refusals: number;
}

/** Ends with an answer, with a failure that is final, or when `signal` is aborted. */
export async function fetchPersistently(source: MetadataSource, options: RetryOptions): Promise<FetchedMetadata> {
  const { clock, signal, onEvent } = options;
  const profile = { ...RETRY_PROFILE, ...options.profile };
  const spent = new Stopwatch(clock);
  let attempts = 0;
  let asked = 0; // of those, the ones that may have reached somebody: pauses grow with them
  let refusals = 0; // in a row: many of them mean a wrong interface or no route
  let lastCause = '';
  let isDegraded = false;
  for (;;) {
    const { firstTimeoutMs, maxTimeoutMs } = profile;
    const timeoutMs = longestPauseMs(asked + 1, { firstMs: firstTimeoutMs, maxMs: maxTimeoutMs });
    attempts++;
    try {
      return await spent.count(timeoutMs, () => fetchTwice(source, { timeoutMs, signal }));
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof MetadataFailure) || error.isFinal) throw error;
      refusals = error.reason === 'metadata/refused' ? refusals + 1 : 0;
      const cause = { reason: error.reason, message: error.message, attempts, refusals };
      if (error.message !== lastCause) onEvent?.({ kind: 'failed', ...cause });
      lastCause = error.message;
      if (!isDegraded && spent.ms >= profile.deadlineMs) {
        isDegraded = true;
        onEvent?.({ kind: 'degraded', ...cause });
      }
      if (!isWithoutNetwork(error) || spent.ms >= profile.networkMs) asked++;
      await spent.sleep(
        isDegraded ? profile.degradedPauseMs : nextPauseMs(Math.max(1, asked), error, options.random, profile),
        signal,
      );
    }
  }
}

/** Nothing has left this machine then, so nobody is asked too often. */
function isWithoutNetwork({ cause }: MetadataFailure): boolean {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  return code === 'ENETUNREACH' || code === 'EADDRNOTAVAIL';
}

/** Full jitter: nodes that start together do not ask together. */
function nextPauseMs(
  attempts: number,
  { retryAfterMs }: MetadataFailure,
  random: () => number,
  { firstPauseMs, maxPauseMs, maxRetryAfterMs }: RetryProfile,
): number {
  const backoff = { firstMs: firstPauseMs, maxMs: maxPauseMs, jitter: 1, maxRetryAfterMs } as const;
  return pauseMs(attempts, { ...backoff, retryAfter: 'precedes' }, { retryAfterMs, random: random() });
}

/** A document that is replaced under way can be a good mixture of two: it is taken when two reads are the same. */
async function fetchTwice(
  source: MetadataSource,
  options: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<FetchedMetadata> {
  const first = await source.fetch(options);
  if (source.isFixed || first.document === undefined) return first;
  const second = await source.fetch(options);
  const isSame = second.document !== undefined && Buffer.compare(first.document, second.document) === 0;
  if (!isSame) throw new MetadataFailure('metadata/changing', 'the document changed while it was read');
  return second;
}

/** Time that passed here, on a clock that may be set while a machine boots: no wait counts for more than it can have taken. */
class Stopwatch {
  ms = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await this.#clock.sleep(ms, signal);
    this.ms += ms;
  }

  /** `act` makes up to four requests of this length. */
  async count<T>(timeoutMs: number, act: () => Promise<T>): Promise<T> {
    const fromMs = this.#clock.nowMs();
    try {
      return await act();
    } finally {
      this.ms += Math.min(Math.max(0, this.#clock.nowMs() - fromMs), 4 * timeoutMs);
    }
  }
}
