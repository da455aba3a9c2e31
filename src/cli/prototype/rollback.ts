// cli/prototype/rollback.ts: `headstart prototype rollback [--to VERSION|original]`: one conditional update, quick.
import { type Clock, systemClock } from '../../base/clock.ts';
import { Forbidden, NotFound } from '../../base/failures.ts';
import { noOriginal, rollbackToOriginal, rollbackToVersion, type WaysBack } from '../../prototype/after/rollback.ts';
import { describeImage } from '../../prototype/after/status.ts';
import { recipeName } from '../../prototype/names.ts';
import { holdingPool } from '../../prototype/run/hold-pool.ts';
import { withRetries } from '../../prototype/run/with-retries.ts';
import type { Pool, PoolRef } from '../../vms/pools.ts';
import type { ModelChange, SavedModel } from '../../vms/publisher.ts';
import { printJson } from '../output/json.ts';
import type { Edges, Verb } from '../verb.ts';
import { type Connected, type ConnectOptions, connectWorld, poolMembers, withConnectOptions } from './connect.ts';
import { readCustomData } from './donor.ts';
import { holderName } from './holder.ts';
import { versionsOf } from './prune.ts';
import { hintingAtSameWorld } from './same-world.ts';
import { showRetries } from './show-waiting.ts';

interface Options extends ConnectOptions {
  pool: string;
  to?: string;
  customData?: string;
  dryRun?: boolean;
}

export const verb = rollbackVerb(connectWorld);

export function rollbackVerb(connect: typeof connectWorld, clock: Clock = systemClock): Verb {
  return hintingAtSameWorld({
    examples: ['prototype rollback --pool pool1', 'prototype rollback --pool pool1 --to original --dry-run'],
    configure: (command) =>
      withConnectOptions(command)
        .requiredOption('--pool <NAME>', 'the pool; on Azure the name of the scale set')
        .option('--to <VERSION|original>', 'the version to return to; default: the one before the current')
        .option('--custom-data <FILE>', 'the original bootstrap, if no run saved it')
        .option('--dry-run', 'print the change, and change nothing'),
    async run(_args, options: Options, edges) {
      const signal = edges.signal();
      const world = await connect(options, edges);
      const { pool: ref } = await poolMembers(world, options.pool, signal);
      const isDryRun = options.dryRun === true;
      const { pool, change } = isDryRun
        ? await choose(world, ref, options, signal)
        : await rollBack(world, ref, options, { ...edges, clock });
      const said = { pool: ref.name, from: describeImage(pool.model.image), to: describeImage(change.image), isDryRun };
      if (options.json) return printJson(edges, 'PrototypeRollback', said);
      if (change.extensions.add.length > 0) {
        edges.stderr(
          'note: protected settings of extensions are never given back by the cloud; set them again by hand\n',
        );
      }
      edges.stdout(
        `${isDryRun ? 'would point' : 'pointed'} ${said.pool} from ${said.from} at ${said.to}; existing instances stay as they are\n`,
      );
    },
  });
}

interface Choice {
  pool: Pool;
  change: ModelChange;
}

/** Not beside a run, which would switch the model again. A lost race is no failure: the pool is read and the change chosen again. */
async function rollBack(
  world: Connected,
  ref: PoolRef,
  options: Options,
  edges: Edges & { clock: Clock },
): Promise<Choice> {
  const signal = edges.signal();
  const held = { cluster: world.cluster, clock: edges.clock, signal, tell: showRetries(edges) };
  return holdingPool({ pool: ref, holder: holderName('rollback'), note: 'rollback' }, held, () =>
    withRetries(
      'rollback',
      async () => {
        const choice = await choose(world, ref, options, signal);
        await world.factory.publisher.offer(choice.pool, choice.change, { signal });
        return choice;
      },
      held,
    ),
  );
}

async function choose(world: Connected, ref: PoolRef, options: Options, signal: AbortSignal): Promise<Choice> {
  const pool = await world.factory.pools.readPool(ref, { signal });
  if (!pool) throw new NotFound(`pool ${ref.name}`);
  const { versions } = await versionsOf(world, ref, signal);
  const saved = await savedRecipe(world, ref, options, signal);
  const ways: WaysBack = { verb: 'rollback', versions, hasOriginal: saved !== undefined };
  if (options.to !== 'original') return { pool, change: rollbackToVersion(pool, ways, options.to) };
  if (saved === undefined) throw noOriginal(pool, ways);
  const recipe = JSON.parse(saved) as SavedModel;
  const given = options.customData === undefined ? undefined : readCustomData(options.customData);
  return { pool, change: rollbackToOriginal(pool, given === undefined ? recipe : { ...recipe, customData: given }) };
}

/** A rollback to a version needs no Secret: a login that may not read it is not refused for that. */
async function savedRecipe(
  { cluster }: Connected,
  { name }: PoolRef,
  { to }: Options,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await cluster.readSecret(recipeName(name), signal))?.recipe;
  } catch (error) {
    if (error instanceof Forbidden && to !== 'original') return undefined;
    throw error;
  }
}
