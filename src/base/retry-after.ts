// base/retry-after.ts: how long does a Retry-After header ask the client to wait?

/** The header is seconds or an HTTP date. Undefined if missing, invalid, or more than eleven days in seconds. */
export function parseRetryAfter(header: string | null | undefined, nowMs: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return text.length <= 6 ? Number(text) * 1000 : undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
