// prototype/donor/find-pool.ts: which pool has this name, and which pools exist?
import { Forbidden, NotFound } from '../../base/failures.ts';
import type { PoolRef } from '../../vms/pools.ts';
import type { Site } from '../site.ts';
import { locateIfMember, locateNodes } from './locate-nodes.ts';
import { noPool } from './not-found.ts';

/**
 * By name or id, in any case. Usually one request to the cloud; only a pool that it does not find by that name (in another
 * resource group) is searched through the nodes of the cluster. Throws if there is none.
 */
export async function findSitePool(site: Site, wanted: string, signal: AbortSignal): Promise<PoolRef> {
  const found = await site.provider.pools.findPool(wanted, { signal }).catch(unlessUnknown);
  if (found) return found;
  const known = site.pools ? await site.pools(signal) : await poolsUntil(site, wanted, signal);
  const pool = known.find((one) => isCalled(one, wanted));
  // A pool that only the operator named may not exist: the list of its instances then throws and names the existing pools.
  if (pool && site.pools) await site.provider.pools.listInstances(pool, { signal });
  if (pool) return pool;
  throw noPool(wanted, {
    pools: unique(known).map(({ name }) => name),
    hasCluster: site.hasCluster,
    isLocal: site.pools !== undefined,
  });
}

/** All pools of this machine; in a cloud, the pools that have nodes in this cluster. */
export async function listSitePools(site: Site, signal: AbortSignal): Promise<PoolRef[]> {
  if (site.pools) return [...(await site.pools(signal))];
  const located = await locateNodes(site, await site.cluster.listNodes(signal), signal);
  return unique(located.map(({ ref }) => ref.pool));
}

/** Locates one node after the other, first those whose provider id contains the name: usually one request is enough. */
async function poolsUntil(site: Site, wanted: string, signal: AbortSignal): Promise<PoolRef[]> {
  const nodes = await site.cluster.listNodes(signal);
  const { named = [], others = [] } = Object.groupBy(nodes, ({ providerId }) =>
    providerId.toLowerCase().includes(wanted.toLowerCase()) ? 'named' : 'others',
  );
  const pools: PoolRef[] = [];
  for (const node of [...named, ...others]) {
    const located = await locateIfMember(site, node, signal);
    if (!located) continue;
    pools.push(located.ref.pool);
    if (isCalled(located.ref.pool, wanted)) break;
  }
  return pools;
}

/** Not found or not permitted: a node may still lead to a pool that we may read. */
function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof NotFound) && !(error instanceof Forbidden)) throw error;
}

function isCalled({ id, name }: PoolRef, wanted: string): boolean {
  return [id, name].some((known) => known.toLowerCase() === wanted.toLowerCase());
}

function unique(pools: readonly PoolRef[]): PoolRef[] {
  return [...new Map(pools.map((pool) => [pool.id.toLowerCase(), pool])).values()];
}
