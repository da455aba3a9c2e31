// node/metadata/retry.ts: how long and how often is a source read until it answers? Quickly at first, then with growing
// pauses that differ from node to node. After the deadline the node is degraded but keeps retrying: a node that gives up needs a person.
import { longestPauseMs, pauseMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { ReasonCode } from '../reason-codes.ts';
import { type FetchedMetadata, MetadataFailure, type MetadataSource } from './source.ts';

export interface RetryOptions {
  clock: Clock;
  /** From 0 up to 1. */
  random(): number;
  signal?: AbortSignal | undefined;
  /** The document was delivered before: one read is enough. Default: never. */
  isKnown?(document: Uint8Array): boolean;
  onEvent?(event: RetryEvent): void;
  profile?: Partial<RetryProfile>;
}

export interface RetryProfile {
  firstTimeoutMs: number;
  maxTimeoutMs: number;
  firstPauseMs: number;
  maxPauseMs: number;
  /** For this long, pauses do not grow while the service is unreachable: the network is still being configured. */
  networkMs: number;
  /** Upper limit for Retry-After. */
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

/** `failed` is emitted when the cause changes, not for every attempt. */
export interface RetryEvent {
  kind: 'failed' | 'degraded';
  reason: ReasonCode;
  message: string;
  attempts: number;
  refusals: number;
}

/** Ends with a response, with a final failure, or when `signal` is aborted. */
export async function fetchPersistently(source: MetadataSource, options: RetryOptions): Promise<FetchedMetadata> {
  const { clock, signal, onEvent, isKnown } = options;
  const profile = { ...RETRY_PROFILE, ...options.profile };
  const spent = new Stopwatch(clock);
  let attempts = 0;
  let sent = 0; // attempts that may have reached the service; pauses grow with them
  let refusals = 0; // consecutive; many of them mean a wrong interface or no route
  let lastCause = '';
  let isDegraded = false;
  for (;;) {
    const { firstTimeoutMs, maxTimeoutMs } = profile;
    const timeoutMs = longestPauseMs(sent + 1, { firstMs: firstTimeoutMs, maxMs: maxTimeoutMs });
    attempts++;
    try {
      return await spent.count(timeoutMs, () => fetchTwice(source, { timeoutMs, signal }, isKnown));
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
      if (!isWithoutNetwork(error) || spent.ms >= profile.networkMs) sent++;
      await spent.sleep(
        isDegraded ? profile.degradedPauseMs : nextPauseMs(Math.max(1, sent), error, options.random, profile),
        signal,
      );
    }
  }
}

/** No packet left this machine, so frequent retries do not load the service. */
function isWithoutNetwork({ cause }: MetadataFailure): boolean {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  return code === 'ENETUNREACH' || code === 'EADDRNOTAVAIL';
}

/** Full jitter, so that nodes that start together do not retry together. */
function nextPauseMs(
  attempts: number,
  { retryAfterMs }: MetadataFailure,
  random: () => number,
  { firstPauseMs, maxPauseMs, maxRetryAfterMs }: RetryProfile,
): number {
  const backoff = { firstMs: firstPauseMs, maxMs: maxPauseMs, jitter: 1, maxRetryAfterMs } as const;
  return pauseMs(attempts, { ...backoff, retryAfter: 'precedes' }, { retryAfterMs, random: random() });
}

/** A document that is replaced during a read may be a valid mixture of two, so it is accepted only if two reads are equal. */
async function fetchTwice(
  source: MetadataSource,
  options: { timeoutMs: number; signal?: AbortSignal | undefined },
  isKnown: RetryOptions['isKnown'],
): Promise<FetchedMetadata> {
  const first = await source.fetch(options);
  if (source.isFixed || first.document === undefined || isKnown?.(first.document)) return first;
  const second = await source.fetch(options);
  const isSame = second.document !== undefined && Buffer.compare(first.document, second.document) === 0;
  if (!isSame) throw new MetadataFailure('metadata/changing', 'the document changed while it was read');
  return second;
}

/** Elapsed time, on a clock that may be set during boot: each wait counts at most for its maximum duration. */
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
