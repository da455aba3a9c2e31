// prototype/donor/find-pool.ts: which pool has this name, and which pools are there?
import { Forbidden, NotFound } from '../../base/failures.ts';
import type { PoolRef } from '../../vms/pools.ts';
import type { Site } from '../site.ts';
import { locateIfMember, locateNodes } from './locate-nodes.ts';
import { noPool } from './not-found.ts';

/**
 * By its name or its id, in any spelling. One question to the VMs; only a pool that they do not know by that name (another
 * resource group) is looked for through the nodes of the cluster. Throws where there is none.
 */
export async function findSitePool(site: Site, wanted: string, signal: AbortSignal): Promise<PoolRef> {
  const found = await site.factory.pools.findPool(wanted, { signal }).catch(unlessUnknown);
  if (found) return found;
  const known = site.pools ? await site.pools(signal) : await poolsUntil(site, wanted, signal);
  const pool = known.find((one) => isCalled(one, wanted));
  // A pool that the operator named and no node did may not exist: the factory then throws, and names those that do.
  if (pool && site.pools) await site.factory.pools.listInstances(pool, { signal });
  if (pool) return pool;
  throw noPool(wanted, {
    pools: unique(known).map(({ name }) => name),
    hasCluster: site.hasCluster,
    isLocal: site.pools !== undefined,
  });
}

/** Of this machine all; elsewhere those that have nodes here. */
export async function listSitePools(site: Site, signal: AbortSignal): Promise<PoolRef[]> {
  if (site.pools) return [...(await site.pools(signal))];
  const located = await locateNodes(site, await site.cluster.listNodes(signal), signal);
  return unique(located.map(({ ref }) => ref.pool));
}

/** Asks one node after the other, and first those whose provider id names the pool: mostly one answer is enough. */
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

/** Not there, or not for us to see: nodes may name a pool that we may read. */
function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof NotFound) && !(error instanceof Forbidden)) throw error;
}

function isCalled({ id, name }: PoolRef, wanted: string): boolean {
  return [id, name].some((known) => known.toLowerCase() === wanted.toLowerCase());
}

function unique(pools: readonly PoolRef[]): PoolRef[] {
  return [...new Map(pools.map((pool) => [pool.id.toLowerCase(), pool])).values()];
}
