// base/fake-clock.ts: a clock on which sleeping takes no time, for tests.
import type { Clock } from './clock.ts';

export interface FakeClock extends Clock {
  advance(ms: number): void;
  /** Total time slept. */
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
