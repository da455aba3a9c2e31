// prototype/after/run-prune.ts: deletes the unused versions of a pool beyond its history.
import type { PoolRef } from '../../vms/pools.ts';
import { fencedProvider } from '../run/fence.ts';
import { holdRenewal, withPoolHold } from '../run/hold-pool.ts';
import type { RetryDeps } from '../run/with-retries.ts';
import type { Site } from '../site.ts';
import { prunableVersions } from './prune.ts';
import { readVersions } from './read-versions.ts';

/** Their names, sorted. Reads only. */
export async function prunable(site: Site, pool: PoolRef, history: number, signal: AbortSignal): Promise<string[]> {
  const { definition, versions } = await readVersions(site, pool, signal);
  const isAnyOld = prunableVersions({ versions, references: new Set() }, history).length > 0;
  // Every pool of the subscription may use a version, so look only if there is one to delete.
  const references =
    definition && isAnyOld ? await site.provider.gallery.referencedImages(definition, { signal }) : undefined;
  return prunableVersions({ versions, references }, history)
    .map(({ name }) => name)
    .sort();
}

export interface PruneOrder {
  pool: PoolRef;
  /** How many versions to keep. */
  history: number;
  /** Only these are deleted: the operator did not agree to versions that became unused since. */
  agreed: readonly string[];
  holder: string;
}

/** Holds the pool, because a run or rollback may be about to use a version that looks unused, and reads the versions again. */
export async function prunePool(
  site: Site,
  { pool, history, agreed, holder }: PruneOrder,
  deps: RetryDeps,
): Promise<string[]> {
  const { signal } = deps;
  return withPoolHold({ pool, holder, note: 'prune' }, { ...deps, cluster: site.cluster }, async (hold) => {
    const { gallery } = fencedProvider(site.provider, hold);
    const { ifDue } = holdRenewal(hold, deps.clock);
    const deletable = (await prunable(site, pool, history, signal)).filter((name) => agreed.includes(name));
    const { definition } = await readVersions(site, pool, signal);
    for (const name of deletable) {
      await ifDue();
      await gallery.deleteVersion(definition!, name, { signal });
    }
    return deletable;
  });
}
