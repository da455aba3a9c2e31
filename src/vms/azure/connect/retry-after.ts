// vms/azure/connect/retry-after.ts: how long does the service ask us to wait?

/** Seconds or an HTTP date; undefined where it asks for nothing. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const text = headers['retry-after']?.trim();
  if (!text) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
