// base/fake-clock.ts: a clock on which waiting takes no time: for tests, and for everything that shares its hours.
import type { Clock } from './clock.ts';

export interface FakeClock extends Clock {
  advance(ms: number): void;
  /** All the time that was slept. */
  sleptMs: number;
}

export function fakeClock(startMs = Date.UTC(2026, 10, 15, 3, 0)): FakeClock {
  let nowMs = startMs;
  return {
    sleptMs: 0,
    nowMs: () => nowMs,
    advance(ms) {
      nowMs += ms;
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      nowMs += ms;
      this.sleptMs += ms;
    },
  };
}
