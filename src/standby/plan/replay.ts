// standby/plan/replay.ts: how long would each arrival have waited, if the pool had kept this mix? Virtual time, no randomness.
import type { StandbyCounts, StandbyTier } from '../../vms/standby.ts';
import { drawReady, drawRefill } from './draw.ts';
import { consideredTiers, type PlanQuestion } from './question.ts';

/** What all replays of one question share. */
export interface ReplayStage {
  tiers: readonly StandbyTier[];
  /** Sorted. */
  atMs: Float64Array;
  /** For each tier: what the arrival of that position waits if it gets a node of the tier. */
  readyMs: readonly Float64Array[];
  coldMs: Float64Array;
  /** For each tier: what the refill of that position takes. */
  refillMs: readonly Float64Array[];
  refillsAtOnce: number;
}

/** Gives up as soon as more than `mostLate` arrivals wait for `lateMs` or longer. */
export interface ReplayLimit {
  lateMs: number;
  mostLate: number;
}

export function setStage(question: PlanQuestion): ReplayStage {
  const atMs = Float64Array.from(question.arrivalsMs).sort();
  const tiers = consideredTiers(question);
  return {
    tiers,
    atMs,
    readyMs: tiers.map((tier) => drawReady(question.readyMs[tier]!, atMs.length)),
    coldMs: drawReady(question.readyMs.cold, atMs.length),
    refillMs: tiers.map((tier) => drawRefill(question.refillMs[tier]!, atMs.length)),
    refillsAtOnce: question.refillsAtOnce,
  };
}

/** The wait of each arrival, in order of time. The pool is full at the first arrival. */
export function replay(stage: ReplayStage, counts: StandbyCounts): Float64Array {
  return replayWithin(stage, counts, { lateMs: Number.POSITIVE_INFINITY, mostLate: stage.atMs.length }).waits!;
}

/** No waits if the limit was reached; `replayed`: after so many arrivals. */
export function replayWithin(
  stage: ReplayStage,
  counts: StandbyCounts,
  { lateMs, mostLate }: ReplayLimit,
): { waits?: Float64Array; replayed: number } {
  const { atMs, tiers, readyMs, coldMs } = stage;
  const parked = Int32Array.from(tiers, (tier) => counts[tier]);
  const refills = new RefillQueue(stage, parked);
  const waits = new Float64Array(atMs.length);
  let late = 0;
  for (let n = 0; n < atMs.length; n++) {
    const nowMs = atMs[n]!;
    refills.finishUntil(nowMs);
    const tier = fastestIn(parked);
    const waitMs = tier < 0 ? coldMs[n]! : readyMs[tier]![n]!;
    if (tier >= 0) {
      parked[tier]!--;
      refills.add(tier, nowMs);
    }
    waits[n] = waitMs;
    if (waitMs >= lateMs && ++late > mostLate) return { replayed: n + 1 };
  }
  return { waits, replayed: atMs.length };
}

/** As chooseMembers of a local pool: by tier, not by measured speed. */
function fastestIn(parked: Int32Array): number {
  for (let tier = 0; tier < parked.length; tier++) if (parked[tier]! > 0) return tier;
  return -1;
}

/** Refills of the fastest tier begin first, as in planRefill of a local pool; one that has begun is finished. */
class RefillQueue {
  private readonly refillMs: readonly Float64Array[];
  private readonly parked: Int32Array;
  private readonly missing: Int32Array;
  /** Those that have begun, sorted by their end. Typed arrays, because the search runs this a hundred million times. */
  private readonly endMs: Float64Array;
  private readonly endTier: Int32Array;
  private running = 0;
  private waiting = 0;
  private begun = 0;

  constructor({ refillMs, refillsAtOnce }: ReplayStage, parked: Int32Array) {
    this.refillMs = refillMs;
    this.parked = parked;
    this.missing = new Int32Array(parked.length);
    this.endMs = new Float64Array(refillsAtOnce);
    this.endTier = new Int32Array(refillsAtOnce);
  }

  add(tier: number, nowMs: number): void {
    this.missing[tier]!++;
    this.waiting++;
    this.begin(nowMs);
  }

  finishUntil(nowMs: number): void {
    while (this.running > 0 && this.endMs[0]! <= nowMs) {
      const endedMs = this.endMs[0]!;
      this.parked[this.endTier[0]!]!++;
      this.running--;
      for (let n = 0; n < this.running; n++) {
        this.endMs[n] = this.endMs[n + 1]!;
        this.endTier[n] = this.endTier[n + 1]!;
      }
      this.begin(endedMs);
    }
  }

  private begin(nowMs: number): void {
    while (this.waiting > 0 && this.running < this.endMs.length) {
      const tier = fastestIn(this.missing);
      this.missing[tier]!--;
      this.waiting--;
      const endMs = nowMs + this.refillMs[tier]![this.begun++]!;
      let place = this.running++;
      for (; place > 0 && this.endMs[place - 1]! > endMs; place--) {
        this.endMs[place] = this.endMs[place - 1]!;
        this.endTier[place] = this.endTier[place - 1]!;
      }
      this.endMs[place] = endMs;
      this.endTier[place] = tier;
    }
  }
}
