// cli/prototype/prune.ts: `headstart prototype prune`: old versions that nothing refers to; and `prototype cost`: what the kept ones cost.
import { InvalidArgumentError } from 'commander';
import { ASSUMED_PRICES, storageCost } from '../../prototype/cost.ts';
import { definitionName } from '../../prototype/names.ts';
import { prunableVersions } from '../../prototype/prune.ts';
import type { Definition, Version } from '../../vms/factory.ts';
import { printJson } from '../output/json.ts';
import { renderTable } from '../output/table.ts';
import type { Edges, Verb } from '../verb.ts';
import { type Connected, type ConnectOptions, connectWorld, poolMembers, withConnectOptions } from './connect.ts';

interface Options extends ConnectOptions {
  pool: string;
  imageHistory: number;
  dryRun?: boolean;
  pricePerGb?: number;
}

export const verb: Verb = {
  examples: ['prototype prune --pool pool1 --dry-run', 'prototype prune --pool pool1 --image-history 2'],
  configure: (command) =>
    withConnectOptions(command)
      .requiredOption('--pool <NAME>', 'the scale set')
      .option('--image-history <N>', 'versions to keep', wholeNumber, 3)
      .option('--dry-run', 'name them, and delete none'),
  async run(_args, options: Options, edges) {
    const world = await connectWorld(options, edges);
    const { definition, versions } = await versionsOf(world, options.pool, edges);
    const signal = edges.signal();
    const references = definition ? await world.factory.referencedImages(definition, { signal }) : new Set<string>();
    const going = prunableVersions({ versions, references }, options.imageHistory);
    if (!options.dryRun)
      for (const version of going) await world.factory.deleteVersion(definition!, version.name, { signal });
    const names = going.map((version) => version.name);
    if (options.json)
      return printJson(edges, 'PrototypePrune', {
        pool: options.pool,
        deleted: names,
        isDryRun: options.dryRun === true,
      });
    edges.stdout(
      names.length === 0
        ? 'nothing to delete\n'
        : `${options.dryRun ? 'would delete' : 'deleted'} ${names.join(', ')}\n`,
    );
  },
};

export const costVerb: Verb = {
  examples: ['prototype cost --pool pool1', 'prototype cost --pool pool1 --price-per-gb 0.045'],
  configure: (command) =>
    withConnectOptions(command)
      .requiredOption('--pool <NAME>', 'the scale set')
      .option(
        '--price-per-gb <PRICE>',
        'a month, as your region has it; the default is an assumption, not a price list',
        price,
      ),
  async run(_args, options: Options, edges) {
    const world = await connectWorld(options, edges);
    const { versions } = await versionsOf(world, options.pool, edges);
    const given = options.pricePerGb;
    const prices =
      given === undefined
        ? ASSUMED_PRICES
        : { ...ASSUMED_PRICES, asOf: 'given', perGbMonth: { zone: given, local: given } };
    const cost = storageCost(versions, prices);
    if (options.json) return printJson(edges, 'PrototypeCost', { pool: options.pool, prices, ...cost });
    edges.stdout(
      renderTable(
        [
          { title: 'VERSION', cell: (line) => line.version },
          { title: 'GIB', align: 'right', cell: (line) => String(line.sizeGb) },
          { title: 'REPLICAS', align: 'right', cell: (line) => String(line.replicas) },
          { title: `${prices.currency} A MONTH`, align: 'right', cell: (line) => line.perMonth.toFixed(2) },
        ],
        cost.lines,
      ),
    );
    edges.stdout(`\n${cost.perMonth.toFixed(2)} ${prices.currency} a month (prices: ${prices.asOf})\n`);
  },
};

async function versionsOf(
  world: Connected,
  pool: string,
  edges: Edges,
): Promise<{ definition: Definition | undefined; versions: Version[] }> {
  const signal = edges.signal();
  const { pool: ref } = await poolMembers(world, pool, signal);
  const definition = await world.factory.readDefinition(world.gallery, definitionName(ref.name), { signal });
  return { definition, versions: definition ? await world.factory.listVersions(definition, { signal }) : [] };
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError(`"${text}" is not a whole number of at least 1.`);
}

function price(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError(`"${text}" is not a price.`);
}
