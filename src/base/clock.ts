// base/clock.ts: the current time, and sleep. Tests replace it so that waiting takes no time.
import { uptime } from 'node:os';

export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Never set back. Counts the time in which the machine sleeps where the system can (Linux); absent: not known. */
  monotonicMs?(): number;
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => (process.platform === 'linux' ? uptime() * 1000 : performance.now()),
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
