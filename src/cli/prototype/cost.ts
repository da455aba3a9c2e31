// cli/prototype/cost.ts: `headstart prototype cost`: estimates what the kept versions cost per month, and says how reliable the prices are.

import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import { UserError } from '../../base/errors.ts';
import { ASSUMED_PRICES, flatPrice, type Prices, parsePrices, storageCost } from '../../prototype/after/cost.ts';
import { readVersions } from '../../prototype/after/read-versions.ts';
import { findSitePool } from '../../prototype/donor/find-pool.ts';
import { type ConnectSite, connectSite } from '../compose/connect-site.ts';
import { wrapLines } from '../output/display-width.ts';
import { printJson } from '../output/json.ts';
import { screenOf } from '../output/screen.ts';
import { printable, renderTable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { type ConnectOptions, withConnectOptions } from './connect-options.ts';

interface Options extends ConnectOptions {
  pool: string;
  prices?: string;
  pricePerGb?: number;
}

export const verb = costVerb(connectSite);

export function costVerb(connect: ConnectSite): Verb {
  return {
    examples: ['prototype cost --pool pool1', 'prototype cost --pool pool1 --prices westeurope.json'],
    configure: (command) =>
      withConnectOptions(command)
        .requiredOption('--pool <NAME>', 'the pool; on Azure the name of the scale set')
        .option('--prices <FILE>', 'a price table; the built-in one is an assumption, not a price list of Azure')
        .addOption(
          new Option('--price-per-gb <PRICE>', 'one price per GB and month, instead of a price table')
            .argParser(price)
            .conflicts('prices'),
        ),
    async run(_args, options: Options, deps) {
      const prices = choosePrices(options); // first, so that a mistake in the file is reported before any call
      const site = await connect(options, deps);
      const signal = deps.signal();
      const pool = await findSitePool(site, options.pool, signal);
      const { versions } = await readVersions(site, pool, signal);
      const cost = storageCost(versions, prices);
      if (options.json) return printJson(deps, 'PrototypeCost', { pool: options.pool, prices, ...cost });
      const screen = screenOf(deps);
      deps.stdout(
        renderTable(
          [
            { title: 'VERSION', cell: (line) => line.version },
            { title: 'GIB', align: 'right', cell: (line) => String(line.sizeGb) },
            { title: 'REPLICAS', align: 'right', cell: (line) => String(line.replicas) },
            { title: `${prices.currency} A MONTH`, align: 'right', cell: (line) => line.perMonth.toFixed(2) },
          ],
          cost.lines,
          screen,
        ),
      );
      const sum = `${cost.perMonth.toFixed(2)} ${prices.currency} a month`;
      const total = `${sum} (prices: ${prices.asOf}, ${printable(prices.status)})`;
      deps.stdout(`\n${wrapLines(total, screen.columns)}\n`);
    },
  };
}

function choosePrices({ prices, pricePerGb }: Options): Prices {
  if (pricePerGb !== undefined) return flatPrice(pricePerGb);
  return prices === undefined ? ASSUMED_PRICES : parsePrices(readPrices(prices), prices);
}

function readPrices(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UserError(`cannot read ${path}: ${(cause as NodeJS.ErrnoException).code}`, {
      code: 'prototype/bad-prices',
      next: 'name an existing file with --prices',
      cause,
    });
  }
}

function price(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError(`"${text}" is not a price.`);
}
