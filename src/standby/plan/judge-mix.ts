// standby/plan/judge-mix.ts: how well does a mix meet the objective, by the waits of its replay?
import type { StandbyCounts } from '../../vms/standby.ts';
import { mostLate, shareInterval } from './binomial.ts';
import { costOf, type MixCost } from './cost.ts';
import type { PlanQuestion } from './question.ts';

export interface MixResult {
  counts: StandbyCounts;
  cost: MixCost;
  /** `unsure`: met in the replay, but so few arrivals do not prove it with 95 % confidence. */
  objective: 'met' | 'unsure' | 'missed';
  /** Which share of the arrivals was in time; absent without arrivals. */
  inTime?: { share: number; low: number; high: number };
  /** Absent without arrivals. */
  waitMs?: { p50: number; p95: number; max: number };
}

export function judgeMix(
  waits: Float64Array,
  counts: StandbyCounts,
  { objective, unit }: Pick<PlanQuestion, 'objective' | 'unit'>,
): MixResult {
  const cost = costOf(counts, unit);
  if (waits.length === 0) return { counts, cost, objective: 'met' };
  const sorted = waits.toSorted();
  const hits = sorted.filter((waitMs) => waitMs <= objective.withinMs).length;
  const allowed = mostLate(waits.length, objective.quantile) ?? -1;
  const isReached = hits >= objective.quantile * waits.length;
  return {
    counts,
    cost,
    objective: waits.length - hits <= allowed ? 'met' : isReached ? 'unsure' : 'missed',
    inTime: { share: hits / waits.length, ...shareInterval(hits, waits.length) },
    waitMs: { p50: quantileOf(sorted, 0.5), p95: quantileOf(sorted, 0.95), max: sorted.at(-1)! },
  };
}

/** The smallest value that is not exceeded by this share of the sorted values. */
export function quantileOf(sorted: Float64Array, quantile: number): number {
  return sorted[Math.max(0, Math.ceil(quantile * sorted.length - 1e-9) - 1)]!;
}
