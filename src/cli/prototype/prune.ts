// cli/prototype/prune.ts: `headstart prototype prune`: old versions that nothing refers to.

import { InvalidArgumentError } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { holderName } from '../../cluster/holder.ts';
import { prunableVersions } from '../../prototype/after/prune.ts';
import { findPool } from '../../prototype/donor/find-pool.ts';
import { definitionName } from '../../prototype/names.ts';
import { holdingPool } from '../../prototype/run/hold-pool.ts';
import type { Site } from '../../prototype/site.ts';
import type { Definition, PoolRef, Version } from '../../vms/factory.ts';
import { type ConnectSite, connectSite } from '../compose/connect-site.ts';
import { confirm } from '../confirm.ts';
import { printJson } from '../output/json.ts';
import type { Edges, Verb } from '../verb.ts';
import { type ConnectOptions, withConnectOptions } from './connect-options.ts';
import { hintingAtSameWorld } from './same-world.ts';
import { showRetries } from './show-waiting.ts';

interface Options extends ConnectOptions {
  pool: string;
  imageHistory: number;
  yes?: boolean;
  dryRun?: boolean;
}

export const verb = pruneVerb(connectSite);

export function pruneVerb(connect: ConnectSite): Verb {
  return hintingAtSameWorld({
    examples: ['prototype prune --pool pool1 --dry-run', 'prototype prune --pool pool1 --image-history 2 --yes'],
    configure: (command) =>
      withConnectOptions(command)
        .requiredOption('--pool <NAME>', 'the pool; on Azure the name of the scale set')
        .option('--image-history <N>', 'how many versions to keep', wholeNumber, 3)
        .option('--yes', 'do not ask for confirmation')
        .option('--dry-run', 'print what would be deleted, and delete nothing'),
    async run(_args, options: Options, edges) {
      const site = await connect(options, edges);
      // Until it is confirmed Ctrl-C has to end the question at once, so signals are not ours yet.
      const quiet = new AbortController().signal;
      const pool = await findPool(site, options.pool, quiet);
      const going = await prunable(site, pool, options.imageHistory, quiet);
      if (going.length === 0 || options.dryRun) return answer(going, options, edges);
      confirm(`delete ${going.join(', ')} of ${pool.name} for good?`, options, edges);
      return answer(await prune(site, pool, going, options.imageHistory, edges), options, edges);
    },
  });
}

/** Not beside a run or a rollback, which may be about to use what looks free; and looked at again, for it was not ours before. */
async function prune(
  site: Site,
  pool: PoolRef,
  confirmed: readonly string[],
  history: number,
  edges: Edges,
): Promise<string[]> {
  const signal = edges.signal();
  const held = { cluster: site.cluster, clock: systemClock, signal, tell: showRetries(edges) };
  return holdingPool({ pool, holder: holderName('prune'), note: 'prune' }, held, async () => {
    const going = (await prunable(site, pool, history, signal)).filter((name) => confirmed.includes(name));
    const { definition } = await versionsOf(site, pool, signal);
    for (const name of going) await site.factory.deleteVersion(definition!, name, { signal });
    return going;
  });
}

async function prunable(site: Site, pool: PoolRef, history: number, signal: AbortSignal): Promise<string[]> {
  const { definition, versions } = await versionsOf(site, pool, signal);
  const references = definition ? await site.factory.referencedImages(definition, { signal }) : new Set<string>();
  return prunableVersions({ versions, references }, history)
    .map(({ name }) => name)
    .sort();
}

function answer(names: readonly string[], options: Options, edges: Edges): void {
  const isDryRun = options.dryRun === true;
  const said = `${isDryRun ? 'would delete' : 'deleted'} ${names.join(', ')}\n`;
  if (options.json) printJson(edges, 'PrototypePrune', { pool: options.pool, deleted: names, isDryRun });
  else edges.stdout(names.length === 0 ? 'nothing to delete\n' : said);
}

/** A pool that was never captured has no definition yet. */
export async function versionsOf(
  { factory, gallery }: Site,
  pool: PoolRef,
  signal: AbortSignal,
): Promise<{ definition: Definition | undefined; versions: Version[] }> {
  const definition = await factory.readDefinition(gallery, definitionName(pool.name), { signal });
  return { definition, versions: definition ? await factory.listVersions(definition, { signal }) : [] };
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError(`"${text}" is not a whole number of at least 1.`);
}
