// prototype/cost.ts: what do the kept versions cost a month? Versions × size × replicas, at prices from one dated table.
import type { Redundancy, Version } from '../vms/factory.ts';

export interface Prices {
  /** When somebody last looked. */
  asOf: string;
  currency: string;
  /** Per GiB and month of snapshot storage. */
  perGbMonth: Readonly<Record<Redundancy, number>>;
}

/** List prices of standard snapshot storage in a large region; regions differ, so they can be overridden. */
export const LIST_PRICES: Prices = { asOf: '2026-08-31', currency: 'USD', perGbMonth: { local: 0.05, zone: 0.063 } };

export interface CostLine {
  version: string;
  sizeGb: number;
  replicas: number;
  redundancy: Redundancy;
  perMonth: number;
}

export function storageCost(
  versions: readonly Version[],
  prices: Prices = LIST_PRICES,
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
