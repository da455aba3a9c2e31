// sims/azure/service/virtual-clock.ts: a clock on which hours pass at once: sleepers wake in the order of their deadlines.
import type { Clock } from '../../../src/base/clock.ts';

interface Sleeper {
  deadlineMs: number;
  order: number;
  wake(): void;
}

export class VirtualClock implements Clock {
  #nowMs: number;
  #sleepers: Sleeper[] = [];
  #order = 0;
  #holds = 0;
  #isScheduled = false;

  constructor(startMs = Date.parse('2026-11-15T08:00:00Z')) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper: Sleeper = { deadlineMs: this.#nowMs + Math.max(0, ms), order: this.#order++, wake };
      const stop = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason);
      };
      function wake() {
        signal?.removeEventListener('abort', stop);
        resolve();
      }
      signal?.addEventListener('abort', stop, { once: true });
      this.#sleepers.push(sleeper);
      this.#schedule();
    });
  }

  /** Advances the time, for example past midnight between two steps. Sleepers that are due wake on the way. */
  advance(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (let next = this.#earliest(); next && next.deadlineMs <= untilMs; next = this.#earliest()) this.#wake(next);
    this.#nowMs = untilMs;
  }

  /**
   * Time stands still while `work` runs. Without it, a background loop (a lease that is renewed every ten seconds) would
   * see hours pass during a request of a few real milliseconds.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#holds += 1;
    try {
      return await work();
    } finally {
      this.#holds -= 1;
      this.#schedule();
    }
  }

  /** One sleeper per turn of the event loop: its next action (sleep again, send a request) comes before the next sleeper wakes. */
  #schedule(): void {
    if (this.#isScheduled || this.#holds > 0 || this.#sleepers.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#holds > 0) return;
      const next = this.#earliest();
      if (next) this.#wake(next);
      this.#schedule();
    });
  }

  #earliest(): Sleeper | undefined {
    return this.#sleepers.toSorted((a, b) => a.deadlineMs - b.deadlineMs || a.order - b.order)[0];
  }

  #wake(sleeper: Sleeper): void {
    this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
    this.#nowMs = Math.max(this.#nowMs, sleeper.deadlineMs);
    sleeper.wake();
  }
}
