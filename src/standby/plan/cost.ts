// standby/plan/cost.ts: what does a mix cost? Money if every price is known; else memory and disk, or the number of nodes.
import { STANDBY_TIERS, type StandbyCounts, type StandbyTier } from '../../vms/standby.ts';

export interface TierSize {
  memoryBytes: number;
  diskBytes: number;
}

/** `bytes`: prices are unknown. `nodes`: sizes are unknown too. */
export type CostUnit =
  | { kind: 'money'; currency: string; perHour: Readonly<Partial<Record<StandbyTier, number>>> }
  | { kind: 'bytes'; sizes: Readonly<Partial<Record<StandbyTier, TierSize>>> }
  | { kind: 'nodes' };

export interface MixCost {
  /** Absent if a price is unknown; never 0 for that. */
  perHour?: number;
  perMonth?: number;
  memoryBytes?: number;
  diskBytes?: number;
  nodes: number;
}

/** As on Azure's price sheets. */
const HOURS_PER_MONTH = 730;

export function costOf(counts: StandbyCounts, unit: CostUnit): MixCost {
  const sum = (of: (tier: StandbyTier) => number) =>
    STANDBY_TIERS.reduce((total, tier) => total + (counts[tier] === 0 ? 0 : counts[tier] * of(tier)), 0);
  const nodes = sum(() => 1);
  if (unit.kind === 'money') {
    const perHour = sum((tier) => unit.perHour[tier]!);
    return { perHour, perMonth: perHour * HOURS_PER_MONTH, nodes };
  }
  if (unit.kind === 'nodes') return { nodes };
  return {
    memoryBytes: sum((tier) => unit.sizes[tier]!.memoryBytes),
    diskBytes: sum((tier) => unit.sizes[tier]!.diskBytes),
    nodes,
  };
}

/** Negative if the first is cheaper. Without prices, memory counts before disk, and a paused node before one that holds no memory. */
export function compareCost(a: StandbyCounts, b: StandbyCounts, unit: CostUnit): number {
  const [one, other] = [rankOf(a, unit), rankOf(b, unit)];
  const n = one.findIndex((value, place) => value !== other[place]);
  return n < 0 ? 0 : one[n]! - other[n]!;
}

function rankOf(counts: StandbyCounts, unit: CostUnit): number[] {
  const { perHour, memoryBytes, diskBytes, nodes } = costOf(counts, unit);
  if (unit.kind === 'money') return [perHour!];
  if (unit.kind === 'bytes') return [memoryBytes!, diskBytes!];
  return [counts.paused, nodes, counts.frozen];
}
