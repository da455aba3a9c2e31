// standby/plan/question.ts: what is known of a pool when the number of its standby nodes is chosen?
import { STANDBY_TIERS, type StandbyCounts, type StandbyTier } from '../../vms/standby.ts';
import type { CostUnit } from './cost.ts';

export type ReadyTier = StandbyTier | 'cold';

export interface Objective {
  /** Between 0 and 1: 0.95 of the nodes … */
  quantile: number;
  /** … are Ready within this time after they were asked for. */
  withinMs: number;
}

export interface PlanQuestion {
  /** When each node was asked for, in any order; nodes asked for at once have the same time. */
  arrivalsMs: readonly number[];
  /** Measured values, in any order. A tier without values is not considered. */
  readyMs: Readonly<Partial<Record<StandbyTier, readonly number[]>> & { cold: readonly number[] }>;
  /** How long a claimed node took to be replaced. Every tier with a time to Ready has at least one value. */
  refillMs: Readonly<Partial<Record<StandbyTier, readonly number[]>>>;
  /** How many replacements are prepared at once. */
  refillsAtOnce: number;
  unit: CostUnit;
  objective: Objective;
  /** At most this many nodes of each tier. */
  most: StandbyCounts;
}

export function consideredTiers({ readyMs }: Pick<PlanQuestion, 'readyMs'>): StandbyTier[] {
  return STANDBY_TIERS.filter((tier) => (readyMs[tier]?.length ?? 0) > 0);
}

export const KEEP_NONE: StandbyCounts = { paused: 0, frozen: 0, stopped: 0 };
