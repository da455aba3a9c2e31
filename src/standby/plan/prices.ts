// standby/plan/prices.ts: what does a standby node of each tier cost, by the document with the prices and the measured sizes?
import * as z from 'zod/mini';
import { checkValue } from '../../schema/check.ts';
import { field } from '../../schema/formats.ts';
import type { Json } from '../../schema/json.ts';
import { type Remark, renderProblem } from '../../schema/problem.ts';
import type { StandbyTier } from '../../vms/standby.ts';
import type { CostUnit, TierSize } from './cost.ts';

const amount = () => z.number().check(z.minimum(0), z.maximum(1e6));
const tierPrices = () =>
  z.optional(
    z.strictObject({
      perHour: z.optional(field('what one node costs besides memory and disk', amount())),
      memoryGb: z.optional(field('default: measured on the pool', amount())),
      diskGb: z.optional(field('default: measured on the pool', amount())),
    }),
  );

const schema = z.strictObject({
  currency: field('such as EUR', z.string().check(z.regex(/^[A-Z]{3}$/, 'is not a currency such as EUR'))),
  memoryGbHour: z.optional(field('the price of one GB of memory for an hour', amount())),
  diskGbHour: z.optional(field('the price of one GB of disk for an hour', amount())),
  tiers: z.strictObject({ paused: tierPrices(), frozen: tierPrices(), stopped: tierPrices() }),
});
export type StandbyPrices = z.output<typeof schema>;

export function readPrices(value: Json): { prices: StandbyPrices } | { problems: string[] } {
  const { value: prices, problems, missing, unknown } = checkValue(schema, value);
  const wrong: Remark[] = [...problems, ...missing, ...unknown];
  return prices && wrong.length === 0 ? { prices } : { problems: wrong.map(renderProblem) };
}

export interface PricedTiers {
  unit: CostUnit;
  /** Why it is not in money; one sentence. */
  why?: string;
}

const GB = 1e9;

/** An unknown price is never 0: then memory and disk are counted, or nodes if their sizes are unknown too. */
export function unitOf(
  tiers: readonly StandbyTier[],
  prices: StandbyPrices | undefined,
  measured: Readonly<Partial<Record<StandbyTier, TierSize>>>,
): PricedTiers {
  const perHour = tiers.map((tier) => [tier, prices && priceOf(tier, prices, measured[tier])] as const);
  const unpriced = perHour.filter(([, price]) => price === undefined).map(([tier]) => tier);
  if (prices && unpriced.length === 0)
    return { unit: { kind: 'money', currency: prices.currency, perHour: Object.fromEntries(perHour) } };
  const sizes = tiers.map((tier) => [tier, sizeOf(tier, prices, measured[tier])] as const);
  const unknown = sizes.filter(([, size]) => size === undefined).map(([tier]) => tier);
  const without = prices ? `the price of ${unpriced.join(' and ')} is unknown` : 'no prices were given (--prices)';
  if (unknown.length === 0)
    return {
      unit: { kind: 'bytes', sizes: Object.fromEntries(sizes) },
      why: `${without}: memory and disk are counted`,
    };
  const sizesUnknown = `the size of a ${unknown.join(' or ')} node is unknown`;
  return { unit: { kind: 'nodes' }, why: `${without}, and ${sizesUnknown}: nodes are counted` };
}

function priceOf(tier: StandbyTier, prices: StandbyPrices, measured: TierSize | undefined): number | undefined {
  const given = prices.tiers[tier];
  const memoryGb = given?.memoryGb ?? (measured && measured.memoryBytes / GB);
  const diskGb = given?.diskGb ?? (measured && measured.diskBytes / GB);
  const parts = [
    given?.perHour,
    prices.memoryGbHour !== undefined && memoryGb !== undefined ? prices.memoryGbHour * memoryGb : undefined,
    prices.diskGbHour !== undefined && diskGb !== undefined ? prices.diskGbHour * diskGb : undefined,
  ].filter((part) => part !== undefined);
  // A price for memory or disk that cannot be multiplied would make the tier too cheap.
  const isUnknown =
    given?.perHour === undefined &&
    ((prices.memoryGbHour !== undefined && memoryGb === undefined) ||
      (prices.diskGbHour !== undefined && diskGb === undefined));
  return isUnknown || parts.length === 0 ? undefined : parts.reduce((sum, part) => sum + part, 0);
}

function sizeOf(
  tier: StandbyTier,
  prices: StandbyPrices | undefined,
  measured: TierSize | undefined,
): TierSize | undefined {
  const { memoryGb, diskGb } = prices?.tiers[tier] ?? {};
  const memoryBytes = memoryGb === undefined ? measured?.memoryBytes : memoryGb * GB;
  const diskBytes = diskGb === undefined ? measured?.diskBytes : diskGb * GB;
  return memoryBytes === undefined || diskBytes === undefined ? undefined : { memoryBytes, diskBytes };
}
