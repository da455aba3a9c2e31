// cli/prototype/rollback.ts: `headstart prototype rollback [--to VERSION|original]`: one conditional update, quick.
import { type Clock, systemClock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import { holdingPool } from '../../prototype/hold-pool.ts';
import { recipeName } from '../../prototype/names.ts';
import { rollbackToOriginal, rollbackToVersion } from '../../prototype/rollback.ts';
import { describeImage } from '../../prototype/status.ts';
import { withRetries } from '../../prototype/with-retries.ts';
import type { ModelChange, Pool, PoolRef, Recipe } from '../../vms/factory.ts';
import { NotFound } from '../../vms/failures.ts';
import { printJson } from '../output/json.ts';
import type { Edges, Verb } from '../verb.ts';
import { type Connected, type ConnectOptions, connectWorld, poolMembers, withConnectOptions } from './connect.ts';
import { readCustomData } from './donor.ts';
import { holderName } from './holder.ts';
import { versionsOf } from './prune.ts';
import { showRetries } from './show-waiting.ts';

interface Options extends ConnectOptions {
  pool: string;
  to?: string;
  customData?: string;
  dryRun?: boolean;
}

export const verb = rollbackVerb(connectWorld);

export function rollbackVerb(connect: typeof connectWorld, clock: Clock = systemClock): Verb {
  return {
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
  };
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
        await world.factory.changeModel(choice.pool, choice.change, { signal });
        return choice;
      },
      held,
    ),
  );
}

async function choose(world: Connected, ref: PoolRef, options: Options, signal: AbortSignal): Promise<Choice> {
  const pool = await world.factory.readPool(ref, { signal });
  if (!pool) throw new NotFound(`pool ${ref.name}`);
  if (options.to === 'original') {
    const recipe = await savedRecipe(world, ref, signal);
    const given = options.customData === undefined ? undefined : readCustomData(options.customData);
    return { pool, change: rollbackToOriginal(pool, given === undefined ? recipe : { ...recipe, customData: given }) };
  }
  const { versions } = await versionsOf(world, ref, signal);
  return { pool, change: rollbackToVersion(pool, versions, options.to) };
}

async function savedRecipe({ cluster }: Connected, { name }: PoolRef, signal: AbortSignal): Promise<Recipe> {
  const saved = await cluster.readSecret(recipeName(name), signal);
  if (saved?.recipe) return JSON.parse(saved.recipe) as Recipe;
  throw new UserError(`no original recipe of ${name} is saved`, {
    code: 'prototype/no-recipe',
    next: 'roll back to a version instead: `headstart prototype status`',
    exitCode: 1,
  });
}
