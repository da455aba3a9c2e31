// cli/prototype/rollback.ts: `headstart prototype rollback [--to VERSION|original]`: one conditional update, quick.
import { UserError } from '../../base/errors.ts';
import { definitionName, leaseName, recipeName } from '../../prototype/names.ts';
import { rollbackToOriginal, rollbackToVersion } from '../../prototype/rollback.ts';
import { describeImage } from '../../prototype/status.ts';
import type { ModelChange, Pool, Recipe } from '../../vms/factory.ts';
import { printJson } from '../output/json.ts';
import type { Edges, Verb } from '../verb.ts';
import { type Connected, type ConnectOptions, connectWorld, poolMembers, withConnectOptions } from './connect.ts';
import { readCustomData } from './donor.ts';

interface Options extends ConnectOptions {
  pool: string;
  to?: string;
  customData?: string;
  dryRun?: boolean;
}

export const verb: Verb = {
  examples: ['prototype rollback --pool pool1', 'prototype rollback --pool pool1 --to original --dry-run'],
  configure: (command) =>
    withConnectOptions(command)
      .requiredOption('--pool <NAME>', 'the scale set')
      .option('--to <VERSION|original>', 'default: the version before the one in use')
      .option('--custom-data <FILE>', 'the original bootstrap, where none was saved')
      .option('--dry-run', 'print the change, and make none'),
  async run(_args, options: Options, edges) {
    const signal = edges.signal();
    const world = await connectWorld(options, edges);
    const { pool: ref } = await poolMembers(world, options.pool, signal);
    const pool = (await world.factory.readPool(ref, { signal }))!;
    const change = await chooseChange(world, pool, options, edges);
    const to = describeImage(change.image);
    if (!options.dryRun) await changeUnderLease(world, pool, change, signal);
    const said = { pool: ref.name, from: describeImage(pool.model.image), to, isDryRun: options.dryRun === true };
    if (options.json) return printJson(edges, 'PrototypeRollback', said);
    if (options.to === 'original') {
      edges.stderr(
        'note: protected settings of extensions are never given back by the cloud; set them again by hand\n',
      );
    }
    edges.stdout(
      `${options.dryRun ? 'would point' : 'pointed'} ${said.pool} from ${said.from} at ${to}; existing instances stay as they are\n`,
    );
  },
};

async function chooseChange(world: Connected, pool: Pool, options: Options, edges: Edges): Promise<ModelChange> {
  const signal = edges.signal();
  if (options.to === 'original') {
    const saved = await world.cluster.readSecret(recipeName(pool.ref.name), signal);
    if (!saved?.recipe) {
      throw new UserError(`no original recipe of ${pool.ref.name} is saved`, {
        code: 'prototype/no-recipe',
        next: 'roll back to a version instead: `headstart prototype status`',
        exitCode: 1,
      });
    }
    const recipe = JSON.parse(saved.recipe) as Recipe;
    const given = options.customData === undefined ? undefined : readCustomData(options.customData);
    return rollbackToOriginal(pool, given === undefined ? recipe : { ...recipe, customData: given });
  }
  const definition = await world.factory.readDefinition(world.gallery, definitionName(pool.ref.name), { signal });
  const versions = definition ? await world.factory.listVersions(definition, { signal }) : [];
  return rollbackToVersion(pool, versions, options.to);
}

/** Not beside a run: it would switch the model again. */
async function changeUnderLease(
  { factory, cluster }: Connected,
  pool: Pool,
  change: ModelChange,
  signal: AbortSignal,
): Promise<void> {
  const lease = leaseName(pool.ref.name);
  const holder = `rollback-${process.pid}`;
  await cluster.holdLease(lease, { holder, durationMs: 5 * 60_000, note: 'rollback' }, signal);
  try {
    await factory.changeModel(pool, change, { signal });
  } finally {
    await cluster.releaseLease(lease, holder);
  }
}
