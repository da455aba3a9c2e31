// cli/prototype/prune.ts: `headstart prototype prune`: old versions that nothing refers to.
import { InvalidArgumentError } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { prunableVersions } from '../../prototype/after/prune.ts';
import { definitionName } from '../../prototype/names.ts';
import { holdingPool } from '../../prototype/run/hold-pool.ts';
import type { Definition, Version } from '../../vms/gallery.ts';
import type { PoolRef } from '../../vms/pools.ts';
import { confirm } from '../confirm.ts';
import { printJson } from '../output/json.ts';
import type { Edges, Verb } from '../verb.ts';
import { type Connected, type ConnectOptions, connectWorld, poolMembers, withConnectOptions } from './connect.ts';
import { holderName } from './holder.ts';
import { hintingAtSameWorld } from './same-world.ts';
import { showRetries } from './show-waiting.ts';

interface Options extends ConnectOptions {
  pool: string;
  imageHistory: number;
  yes?: boolean;
  dryRun?: boolean;
}

export const verb = pruneVerb(connectWorld);

export function pruneVerb(connect: typeof connectWorld): Verb {
  return hintingAtSameWorld({
    examples: ['prototype prune --pool pool1 --dry-run', 'prototype prune --pool pool1 --image-history 2 --yes'],
    configure: (command) =>
      withConnectOptions(command)
        .requiredOption('--pool <NAME>', 'the pool; on Azure the name of the scale set')
        .option('--image-history <N>', 'how many versions to keep', wholeNumber, 3)
        .option('--yes', 'do not ask for confirmation')
        .option('--dry-run', 'print what would be deleted, and delete nothing'),
    async run(_args, options: Options, edges) {
      const world = await connect(options, edges);
      // Until it is confirmed Ctrl-C has to end the question at once, so signals are not ours yet.
      const quiet = new AbortController().signal;
      const { pool } = await poolMembers(world, options.pool, quiet);
      const going = await prunable(world, pool, options.imageHistory, quiet);
      if (going.length === 0 || options.dryRun) return answer(going, options, edges);
      confirm(`delete ${going.join(', ')} of ${pool.name} for good?`, options, edges);
      return answer(await prune(world, pool, going, options.imageHistory, edges), options, edges);
    },
  });
}

/** Not beside a run or a rollback, which may be about to use what looks free; and looked at again, for it was not ours before. */
async function prune(
  world: Connected,
  pool: PoolRef,
  confirmed: readonly string[],
  history: number,
  edges: Edges,
): Promise<string[]> {
  const signal = edges.signal();
  const held = { cluster: world.cluster, clock: systemClock, signal, tell: showRetries(edges) };
  return holdingPool({ pool, holder: holderName('prune'), note: 'prune' }, held, async () => {
    const going = (await prunable(world, pool, history, signal)).filter((name) => confirmed.includes(name));
    const { definition } = await versionsOf(world, pool, signal);
    for (const name of going) await world.factory.gallery.deleteVersion(definition!, name, { signal });
    return going;
  });
}

async function prunable(world: Connected, pool: PoolRef, history: number, signal: AbortSignal): Promise<string[]> {
  const { definition, versions } = await versionsOf(world, pool, signal);
  const references = definition
    ? await world.factory.gallery.referencedImages(definition, { signal })
    : new Set<string>();
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
  { factory, gallery }: Connected,
  pool: PoolRef,
  signal: AbortSignal,
): Promise<{ definition: Definition | undefined; versions: Version[] }> {
  const definition = await factory.gallery.readDefinition(gallery, definitionName(pool.name), { signal });
  return { definition, versions: definition ? await factory.gallery.listVersions(definition, { signal }) : [] };
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError(`"${text}" is not a whole number of at least 1.`);
}
