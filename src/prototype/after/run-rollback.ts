// prototype/after/run-rollback.ts: puts a pool back on an earlier version or on its original model, in one conditional update.
import { Forbidden, NotFound } from '../../base/failures.ts';
import type { Pool, PoolRef } from '../../vms/pools.ts';
import type { ModelChange, SavedModel } from '../../vms/publisher.ts';
import { recipeName } from '../names.ts';
import { holdingPool } from '../run/hold-pool.ts';
import { type RetryDeps, withRetries } from '../run/with-retries.ts';
import type { Site } from '../site.ts';
import { readVersions } from './read-versions.ts';
import { noOriginal, rollbackToOriginal, rollbackToVersion, type WaysBack } from './rollback.ts';

export interface RollbackWish {
  /** A version, or `original`; undefined: the version before the current one. */
  to?: string | undefined;
  /** The original bootstrap, base64, where no run saved it; called only when it is needed. */
  readBootstrap?: () => string;
}

export interface Rollback {
  pool: Pool;
  change: ModelChange;
}

/** Not during a run, which would switch the model again. After a lost race the pool is read and the change chosen again. */
export async function rollBackPool(
  site: Site,
  { pool, holder, ...wish }: RollbackWish & { pool: PoolRef; holder: string },
  deps: RetryDeps,
): Promise<Rollback> {
  const { signal } = deps;
  return holdingPool({ pool, holder, note: 'rollback' }, { ...deps, cluster: site.cluster }, () =>
    withRetries(
      'rollback',
      async () => {
        const rollback = await chooseRollback(site, pool, wish, signal);
        await site.provider.publisher.changeModel(rollback.pool, rollback.change, { signal });
        return rollback;
      },
      deps,
    ),
  );
}

/** Reads only. */
export async function chooseRollback(
  site: Site,
  ref: PoolRef,
  { to, readBootstrap }: RollbackWish,
  signal: AbortSignal,
): Promise<Rollback> {
  const pool = await site.provider.pools.readPool(ref, { signal });
  if (!pool) throw new NotFound(`pool ${ref.name}`);
  const { versions } = await readVersions(site, ref, signal);
  const saved = await savedRecipe(site, ref, to, signal);
  const ways: WaysBack = { verb: 'rollback', versions, hasOriginal: saved !== undefined };
  if (to !== 'original') return { pool, change: rollbackToVersion(pool, ways, to) };
  if (saved === undefined) throw noOriginal(pool, ways);
  const recipe = JSON.parse(saved) as SavedModel;
  const given = readBootstrap?.();
  return { pool, change: rollbackToOriginal(pool, given === undefined ? recipe : { ...recipe, customData: given }) };
}

/** A rollback to a version needs no Secret: a login that may not read it is not refused for that. */
async function savedRecipe(
  { cluster }: Site,
  { name }: PoolRef,
  to: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await cluster.readSecret(recipeName(name), signal))?.recipe;
  } catch (error) {
    if (error instanceof Forbidden && to !== 'original') return undefined;
    throw error;
  }
}
