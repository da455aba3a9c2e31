// prototype/cost.ts: what do the kept versions cost a month? Versions × size × replicas, at prices from one table.
import type { Redundancy, Version } from '../vms/factory.ts';

export interface Prices {
  /** Where they come from: a date somebody looked, or that nobody did. */
  asOf: string;
  currency: string;
  /** Per GiB and month of snapshot storage. */
  perGbMonth: Readonly<Record<Redundancy, number>>;
}

/** Orders of magnitude, not taken from a price list: nobody has looked them up yet. Override them with a region's own. */
export const ASSUMED_PRICES: Prices = {
  asOf: 'assumed, not looked up',
  currency: 'USD',
  perGbMonth: { local: 0.05, zone: 0.063 },
};

export interface CostLine {
  version: string;
  sizeGb: number;
  replicas: number;
  redundancy: Redundancy;
  perMonth: number;
}

export function storageCost(
  versions: readonly Version[],
  prices: Prices = ASSUMED_PRICES,
): { lines: CostLine[]; perMonth: number } {
  const lines = versions.map(({ name, sizeGb, replicas, redundancy }) => ({
    version: name,
    sizeGb,
    replicas,
    redundancy,
    perMonth: sizeGb * replicas * prices.perGbMonth[redundancy],
  }));
  return { lines, perMonth: lines.reduce((sum, line) => sum + line.perMonth, 0) };
}
