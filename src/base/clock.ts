// base/clock.ts: the current time, and sleep. Tests replace it so that waiting takes no time.

export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Never goes back, and stands still while the machine sleeps; absent: not known. */
  monotonicMs?(): number;
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(done, ms);
      function done() {
        signal?.removeEventListener('abort', stop);
        resolve();
      }
      function stop() {
        clearTimeout(timer);
        reject(signal?.reason);
      }
      signal?.addEventListener('abort', stop, { once: true });
    }),
};

/** `2026.11.15`: the format of image version names. UTC, so that all machines use the same day. */
export function versionOfDay(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '.');
}
