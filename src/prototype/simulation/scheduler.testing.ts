// prototype/simulation/scheduler.testing.ts: what happens next? One queue of events in virtual time; equal times keep their order.

interface QueuedEvent {
  atMs: number;
  serial: number;
  run: () => void;
}

export class Scheduler {
  nowMs: number;
  private serial = 0;
  private isAnswered = false;
  private readonly heap: QueuedEvent[] = [];

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  after(ms: number, run: () => void): void {
    this.push({ atMs: this.nowMs + Math.max(0, ms), serial: ++this.serial, run });
  }

  get nextMs(): number | undefined {
    return this.heap[0]?.atMs;
  }

  /** To be called by an event that settles a promise: the code that awaits it runs before the next event. */
  answered(): void {
    this.isAnswered = true;
  }

  /** Runs the next event and all code that follows from it. false: there is none. */
  async step(): Promise<boolean> {
    const event = this.pop();
    if (!event) return false;
    this.nowMs = Math.max(this.nowMs, event.atMs);
    event.run();
    if (this.isAnswered) await this.settle();
    return true;
  }

  /** Everything here is in memory: when all promises that can settle have settled, nothing is left but waits for later events. */
  async settle(): Promise<void> {
    while (this.isAnswered) {
      this.isAnswered = false;
      // A tick that is requested by a microtask runs when no microtask is left, without a turn of the event loop.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
  }

  private push(event: QueuedEvent): void {
    const { heap } = this;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (isBefore(heap[parent]!, event)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  private pop(): QueuedEvent | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (isBefore(last, heap[child]!)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: QueuedEvent, b: QueuedEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.serial < b.serial);
}
