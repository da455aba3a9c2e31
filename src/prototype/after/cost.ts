// prototype/after/cost.ts: what do the kept versions cost per month? Versions × size × replicas, with prices from one table.
import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import type { Redundancy, Version } from '../../vms/gallery.ts';
import assumed from './prices.json' with { type: 'json' };

const price = z.number().min(0);

const schema = z.strictObject({
  /** The date of the table. */
  asOf: z.iso.date('not a day such as 2026-11-16'),
  /** Where the prices come from; printed with every sum. */
  status: z.string().trim().min(1).max(200).default('as in the file'),
  currency: z.string().regex(/^[A-Z]{3}$/, 'not a currency such as USD'),
  /** Per GiB and month of snapshot storage. */
  perGbMonth: z.strictObject({ local: price, zone: price } satisfies Record<Redundancy, unknown>),
});

export interface Prices extends Omit<z.infer<typeof schema>, 'asOf'> {
  /** A day, or `given`. */
  asOf: string;
}

/** Orders of magnitude, not from a price list; the status printed with every sum states this. */
export const ASSUMED_PRICES: Prices = schema.parse(assumed);

export interface CostLine {
  version: string;
  sizeGb: number;
  replicas: number;
  redundancy: Redundancy;
  perMonth: number;
}

export function storageCost(
  versions: readonly Version[],
  prices: Pick<Prices, 'perGbMonth'>,
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

/** Parses the operator's own table; throws all problems at once. */
export function parsePrices(text: string, fileName: string): Prices {
  const parsed = schema.safeParse(asJson(text, fileName));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the table'}: ${issue.message}`);
  throw badPrices(`${fileName} is not a table of prices: ${problems.join('; ')}`);
}

export function flatPrice(perGbMonth: number): Prices {
  return {
    ...ASSUMED_PRICES,
    asOf: 'given',
    status: 'with --price-per-gb',
    perGbMonth: { local: perGbMonth, zone: perGbMonth },
  };
}

function asJson(text: string, fileName: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badPrices(`${fileName} is not JSON: ${(cause as Error).message}`, cause);
  }
}

function badPrices(message: string, cause?: unknown): UserError {
  return new UserError(message, {
    code: 'prototype/bad-prices',
    next: `write it like this: ${JSON.stringify({ ...ASSUMED_PRICES, status: "your region's price list" })}`,
    cause,
  });
}
