// base/backoff.ts: how long is the pause before a retry? It doubles with each try up to a limit, and respects Retry-After.

export interface Backoff {
  firstMs: number;
  /** Default: no limit. */
  maxMs?: number | undefined;
  /** The random part of the pause: 0 (default) none, 0.5 the second half, 1 all of it. */
  jitter?: number | undefined;
  /** How Retry-After is used: it replaces the pause (default), is its minimum, or is added to it. */
  retryAfter?: 'replaces' | 'at-least' | 'precedes' | undefined;
  /** Upper limit for Retry-After. Default: none. */
  maxRetryAfterMs?: number | undefined;
}

export interface PauseInputs {
  retryAfterMs?: number | undefined;
  /** In [0, 1); required with jitter. */
  random?: number | undefined;
}

/** `tries`: number of tries so far. */
export function pauseMs(tries: number, backoff: Backoff, { retryAfterMs, random = 1 }: PauseInputs = {}): number {
  const { jitter = 0, retryAfter = 'replaces', maxRetryAfterMs = Number.POSITIVE_INFINITY } = backoff;
  const ownMs = longestPauseMs(tries, backoff) * (1 - jitter + jitter * random);
  if (retryAfterMs === undefined) return ownMs;
  const requestedMs = Math.min(retryAfterMs, maxRetryAfterMs);
  if (retryAfter === 'replaces') return requestedMs;
  return retryAfter === 'at-least' ? Math.max(requestedMs, ownMs) : requestedMs + ownMs;
}

/** The pause without jitter and Retry-After. */
export function longestPauseMs(
  tries: number,
  { firstMs, maxMs = Number.POSITIVE_INFINITY }: Pick<Backoff, 'firstMs' | 'maxMs'>,
): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(tries - 1, 30));
}
