// base/backoff.ts: how long is the pause before the next try? It doubles with each try up to a limit, and heeds what the service asks for.

export interface Backoff {
  firstMs: number;
  /** Default: no limit. */
  maxMs?: number | undefined;
  /** The share of the pause that chance decides: 0 (default) none, 0.5 the second half, 1 all of it. */
  jitter?: number | undefined;
  /** What Retry-After does: it replaces the pause (default), the pause is at least as long, or the pause follows it. */
  retryAfter?: 'replaces' | 'at-least' | 'precedes' | undefined;
  /** The longest Retry-After that is heeded. Default: any. */
  maxRetryAfterMs?: number | undefined;
}

export interface PauseInputs {
  /** What the service asked for. */
  retryAfterMs?: number | undefined;
  /** From 0 up to 1; needed with jitter. */
  random?: number | undefined;
}

/** `tries` counts the ones made so far. */
export function pauseMs(tries: number, backoff: Backoff, { retryAfterMs, random = 1 }: PauseInputs = {}): number {
  const { jitter = 0, retryAfter = 'replaces', maxRetryAfterMs = Number.POSITIVE_INFINITY } = backoff;
  const ownMs = longestPauseMs(tries, backoff) * (1 - jitter + jitter * random);
  if (retryAfterMs === undefined) return ownMs;
  const askedMs = Math.min(retryAfterMs, maxRetryAfterMs);
  if (retryAfter === 'replaces') return askedMs;
  return retryAfter === 'at-least' ? Math.max(askedMs, ownMs) : askedMs + ownMs;
}

/** The pause without chance and without what the service asks for. */
export function longestPauseMs(
  tries: number,
  { firstMs, maxMs = Number.POSITIVE_INFINITY }: Pick<Backoff, 'firstMs' | 'maxMs'>,
): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(tries - 1, 30));
}
