// standby/plan/choose-mix.ts: which mix of standby nodes is the cheapest that meets the objective? A complete search, in order of cost.
import { STANDBY_TIERS, type StandbyCounts, type StandbyTier } from '../../vms/standby.ts';
import { fewestArrivals, mostLate } from './binomial.ts';
import { compareCost } from './cost.ts';
import { judgeMix, type MixResult } from './judge-mix.ts';
import { consideredTiers, KEEP_NONE, type PlanQuestion } from './question.ts';
import { type ReplayLimit, type ReplayStage, replay, replayWithin, setStage } from './replay.ts';

export interface PlanAnswer {
  /**
   * `none-needed`: new nodes meet the objective, or no node was asked for. `unreachable`: no mix within the bounds meets it. `unknown`:
   * the search ended early and had found none.
   */
  verdict: 'chosen' | 'none-needed' | 'too-few-arrivals' | 'unreachable' | 'unknown';
  /** With the verdicts `chosen` and `none-needed`. */
  chosen?: MixResult;
  arrivals: number;
  /** With fewer arrivals, nothing can be said of the objective; absent: no number is enough. */
  fewestArrivals?: number;
  /** Whether every mix within the bounds was replayed, or excluded by a replay. */
  isComplete: boolean;
  mixes: { examined: number; all: number };
  /** From no nodes to the fastest mix; each is faster than all cheaper ones. */
  frontier: FrontierStep[];
  /** The cheapest mix for other shares within the same time. */
  levels: { quantile: number; mix?: MixResult }[];
  /** The fewest nodes of one tier that meet the objective; else the fewest that come closest. */
  single: { tier: StandbyTier; mix: MixResult }[];
}

export interface FrontierStep extends MixResult {
  /** What the objective's share of nodes waits at most, with 95 % confidence. */
  surelyWithinMs: number;
  /** Compared with the step before; absent on the first. `perHourPerSecond`: the price of one second. */
  marginal?: { savedMs: number; perHour?: number; perHourPerSecond?: number; memoryBytes?: number; diskBytes?: number };
}

export interface SearchBounds {
  /** Ends the search after so many replayed arrivals, so that it takes seconds; the answer then says that it is not complete. */
  mostReplayed: number;
}

const LEVELS = [0.5, 0.9, 0.95, 0.99, 0.999];

export function chooseMix(question: PlanQuestion, { mostReplayed }: SearchBounds): PlanAnswer {
  const { objective, unit } = question;
  const arrivals = question.arrivalsMs.length;
  const fewest = fewestArrivals(objective.quantile);
  const answer: PlanAnswer = {
    verdict: 'too-few-arrivals',
    arrivals,
    ...(fewest !== undefined && { fewestArrivals: fewest }),
    isComplete: true,
    mixes: { examined: 0, all: 0 },
    frontier: [],
    levels: [],
    single: [],
  };
  const stage = setStage(question);
  const judge = (counts: StandbyCounts) => judgeMix(replay(stage, counts), counts, question);
  if (arrivals === 0) return { ...answer, verdict: 'none-needed', chosen: judge(KEEP_NONE) };
  const allowed = mostLate(arrivals, objective.quantile);
  if (allowed === undefined) return answer;

  const candidates = mixesOf(question).sort(
    (a, b) => compareCost(a, b, unit) || nodesOf(a) - nodesOf(b) || tieOrder(a, b),
  );
  const search = new Search(stage, mostReplayed);
  const { frontier, examined } = findFrontier(candidates, { search, allowed, question });
  const chosen = frontier.find(({ surelyWithinMs }) => surelyWithinMs <= objective.withinMs);
  const isComplete = examined === candidates.length;
  const levels = cheapestPerLevel(candidates, question, search);
  return {
    ...answer,
    verdict: verdictOf(chosen, isComplete),
    ...(chosen && { chosen: judge(chosen.counts) }),
    // The cheapest was found if a mix meets the objective: candidates come in order of cost.
    isComplete: isComplete || chosen !== undefined,
    mixes: { examined, all: candidates.length },
    frontier: withMarginals(frontier.map(({ counts, surelyWithinMs }) => ({ ...judge(counts), surelyWithinMs }))),
    levels: levels.map(({ quantile, counts }) => ({ quantile, ...(counts && { mix: judge(counts) }) })),
    single: consideredTiers(question).map((tier) => ({ tier, mix: judge(bestOfOne(tier, question, stage, allowed)) })),
  };
}

function verdictOf(chosen: FasterMix | undefined, isComplete: boolean): PlanAnswer['verdict'] {
  if (chosen) return nodesOf(chosen.counts) === 0 ? 'none-needed' : 'chosen';
  return isComplete ? 'unreachable' : 'unknown';
}

interface FasterMix {
  counts: StandbyCounts;
  surelyWithinMs: number;
}

/** Each replay ends as soon as its mix cannot be faster than a cheaper one: nothing is skipped by assuming that more nodes are faster. */
function findFrontier(
  candidates: readonly StandbyCounts[],
  { search, allowed, question }: { search: Search; allowed: number; question: PlanQuestion },
): { frontier: FasterMix[]; examined: number } {
  const frontier: FasterMix[] = [];
  const fastestMs = search.fastestMs(allowed);
  let examined = 0;
  for (const counts of candidates) {
    const best = frontier.at(-1);
    if (best && best.surelyWithinMs <= fastestMs) return { frontier, examined: candidates.length };
    if (search.isExhausted) break;
    const waits = search.replay(counts, {
      lateMs: best?.surelyWithinMs ?? Number.POSITIVE_INFINITY,
      mostLate: allowed,
    });
    examined++;
    if (!waits) continue;
    if (best && compareCost(best.counts, counts, question.unit) === 0) frontier.pop();
    frontier.push({ counts, surelyWithinMs: surelyWithin(waits, allowed) });
  }
  return { frontier, examined };
}

/** One pass for all levels: a mix is replayed until it fails the easiest level that is still open. */
function cheapestPerLevel(
  candidates: readonly StandbyCounts[],
  { arrivalsMs, objective }: PlanQuestion,
  search: Search,
): { quantile: number; counts?: StandbyCounts }[] {
  const levels: { quantile: number; counts?: StandbyCounts }[] = LEVELS.map((quantile) => ({ quantile }));
  const lateMs = justAbove(objective.withinMs);
  const open = levels.flatMap((level) => {
    const allowed = mostLate(arrivalsMs.length, level.quantile);
    const isPossible = allowed !== undefined && search.fastestMs(allowed) <= objective.withinMs;
    return isPossible ? [{ level, allowed }] : [];
  });
  for (const counts of candidates) {
    if (open.length === 0 || search.isExhausted) break;
    const waits = search.replay(counts, { lateMs, mostLate: open[0]!.allowed });
    if (!waits) continue;
    const late = waits.reduce((sum, waitMs) => sum + Number(waitMs >= lateMs), 0);
    while (open[0] && late <= open[0].allowed) open.shift()!.level.counts = counts;
  }
  return levels;
}

function bestOfOne(tier: StandbyTier, question: PlanQuestion, stage: ReplayStage, allowed: number): StandbyCounts {
  let [best, bestMs] = [KEEP_NONE, Number.POSITIVE_INFINITY];
  for (let count = 1; count <= question.most[tier]; count++) {
    const counts = { ...KEEP_NONE, [tier]: count };
    const { waits } = replayWithin(stage, counts, { lateMs: bestMs, mostLate: allowed });
    if (!waits) continue;
    [best, bestMs] = [counts, surelyWithin(waits, allowed)];
    if (bestMs <= question.objective.withinMs) break;
  }
  return best;
}

/** Counts what is replayed. */
class Search {
  private readonly stage: ReplayStage;
  private left: number;

  constructor(stage: ReplayStage, most: number) {
    this.stage = stage;
    this.left = most;
  }

  get isExhausted(): boolean {
    return this.left <= 0;
  }

  replay(counts: StandbyCounts, limit: ReplayLimit): Float64Array | undefined {
    const { waits, replayed } = replayWithin(this.stage, counts, limit);
    this.left -= replayed;
    return waits;
  }

  /** If every arrival got a node of the tier that is fastest for it. */
  fastestMs(allowed: number): number {
    const { readyMs, coldMs } = this.stage;
    return surelyWithin(
      coldMs.map((cold, n) => Math.min(cold, ...readyMs.map((of) => of[n]!))),
      allowed,
    );
  }
}

/** All but `allowed` arrivals wait at most this long. */
function surelyWithin(waits: Float64Array, allowed: number): number {
  return waits.toSorted().at(-1 - allowed)!;
}

/** `late` means "this long or longer", and exactly the objective's time is still in time. */
const justAbove = (ms: number) => ms + Math.max(1e-9, Math.abs(ms) * Number.EPSILON * 2);

function withMarginals(steps: readonly FrontierStep[]): FrontierStep[] {
  return steps.map((step, n) => {
    const before = steps[n - 1];
    if (!before) return step;
    const savedMs = before.surelyWithinMs - step.surelyWithinMs;
    const more = (key: 'perHour' | 'memoryBytes' | 'diskBytes') => {
      const [now, then] = [step.cost[key], before.cost[key]];
      return now === undefined || then === undefined ? undefined : now - then;
    };
    const [perHour, memoryBytes, diskBytes] = [more('perHour'), more('memoryBytes'), more('diskBytes')];
    return {
      ...step,
      marginal: {
        savedMs,
        ...(perHour !== undefined && { perHour, perHourPerSecond: perHour / (savedMs / 1000) }),
        ...(memoryBytes !== undefined && { memoryBytes }),
        ...(diskBytes !== undefined && { diskBytes }),
      },
    };
  });
}

function mixesOf(question: PlanQuestion): StandbyCounts[] {
  const tiers = consideredTiers(question);
  const upTo = (tier: StandbyTier) => {
    const most = tiers.includes(tier) ? Math.min(question.most[tier], question.arrivalsMs.length) : 0;
    return Array.from({ length: most + 1 }, (_, n) => n);
  };
  return upTo('paused').flatMap((paused) =>
    upTo('frozen').flatMap((frozen) => upTo('stopped').map((stopped) => ({ paused, frozen, stopped }))),
  );
}

const nodesOf = (counts: StandbyCounts) => STANDBY_TIERS.reduce((sum, tier) => sum + counts[tier], 0);
const tieOrder = (a: StandbyCounts, b: StandbyCounts) =>
  STANDBY_TIERS.map((tier) => a[tier] - b[tier]).find((difference) => difference !== 0) ?? 0;
