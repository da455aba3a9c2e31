// prototype/after/run-rollback.ts: returns a pool to an earlier version or to its original model, in one conditional update.
import { Forbidden, NotFound } from '../../base/failures.ts';
import type { Pool, PoolRef } from '../../vms/pools.ts';
import type { ModelChange, SavedModel } from '../../vms/publisher.ts';
import { withPoolHold } from '../run/hold-pool.ts';
import { type RetryDeps, withRetries } from '../run/with-retries.ts';
import { readSavedModelSecret } from '../saved-model-secret.ts';
import type { Site } from '../site.ts';
import { readVersions } from './read-versions.ts';
import { originalNotSaved, type RollbackTargets, rollbackToOriginal, rollbackToVersion } from './rollback.ts';

export interface RollbackRequest {
  /** A version, or `original`; undefined: the version before the current one. */
  to?: string | undefined;
  /** The original bootstrap in base64, if no run saved it; called only if it is needed. */
  readBootstrap?: () => string;
}

export interface Rollback {
  pool: Pool;
  change: ModelChange;
}

/** Holds the pool, because a run would switch the model again. After a conflict it reads the pool and chooses again. */
export async function rollBackPool(
  site: Site,
  { pool, holder, ...request }: RollbackRequest & { pool: PoolRef; holder: string },
  deps: RetryDeps,
): Promise<Rollback> {
  const { signal } = deps;
  return withPoolHold({ pool, holder, note: 'rollback' }, { ...deps, cluster: site.cluster }, () =>
    withRetries(
      'rollback',
      async () => {
        const rollback = await chooseRollback(site, pool, request, signal);
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
  { to, readBootstrap }: RollbackRequest,
  signal: AbortSignal,
): Promise<Rollback> {
  const pool = await site.provider.pools.readPool(ref, { signal });
  if (!pool) throw new NotFound(`pool ${ref.name}`);
  const { versions } = await readVersions(site, ref, signal);
  const saved = await readOriginal(site, ref, to, signal);
  const targets: RollbackTargets = { verb: 'rollback', versions, hasOriginal: saved !== undefined };
  if (to !== 'original') return { pool, change: rollbackToVersion(pool, targets, to) };
  if (saved === undefined) throw originalNotSaved(pool, targets);
  const model = JSON.parse(saved) as SavedModel;
  const given = readBootstrap?.();
  return { pool, change: rollbackToOriginal(pool, given === undefined ? model : { ...model, customData: given }) };
}

/** A rollback to a version does not need the Secret, so it works with a login that may not read it. */
async function readOriginal(
  { cluster }: Site,
  pool: PoolRef,
  to: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await readSavedModelSecret(cluster, pool, signal))?.recipe;
  } catch (error) {
    if (error instanceof Forbidden && to !== 'original') return undefined;
    throw error;
  }
}
