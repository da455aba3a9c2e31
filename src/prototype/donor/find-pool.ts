// prototype/donor/find-pool.ts: which pool has this name, does it belong to this cluster, and which pools exist?
import { UserError } from '../../base/errors.ts';
import { Forbidden, NotFound } from '../../base/failures.ts';
import type { Node } from '../../cluster/cluster.ts';
import type { ParsedProviderId, PoolRef } from '../../vms/pools.ts';
import { readSavedModelSecret } from '../saved-model-secret.ts';
import type { Site } from '../site.ts';
import { locateNodes } from './locate-nodes.ts';
import { isSameId, readMembers } from './members.ts';
import { noPool } from './not-found.ts';

/**
 * By name or id, in any case. Usually one request to the cloud; only a pool that it does not find by that name (in another
 * resource group) is searched through the nodes of the cluster. Throws if there is none.
 */
export async function findSitePool(site: Site, wanted: string, signal: AbortSignal): Promise<PoolRef> {
  const found = await site.provider.pools.findPool(wanted, { signal }).catch(unlessUnknown);
  if (found) return found;
  const known = site.pools ? await site.pools(signal) : await poolsNamed(site, wanted, signal);
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

/**
 * For verbs that change a pool: it has to belong to this cluster. The resource group may also have the pool of another cluster,
 * and a wrong kubeconfig would then change it under the wrong lock. A pool that is named by its full id is taken as it is.
 */
export async function findOwnPool(site: Site, wanted: string, signal: AbortSignal): Promise<PoolRef> {
  const pool = await findSitePool(site, wanted, signal);
  if (site.pools || isSameId(wanted, pool.id) || (await isOfCluster(site, pool, signal))) return pool;
  throw new UserError(`no node of this cluster belongs to ${pool.name}, and no run of this cluster has used it`, {
    code: 'prototype/other-cluster',
    kept: 'Nothing was changed.',
    next: `name its cluster with --kubeconfig and --context; if this is the right cluster, give --pool ${pool.id}`,
    exitCode: 1,
  });
}

/** A node of the pool, or the model that a run of this cluster saved: in an outage the pool may have no node left. */
export async function isOfCluster(site: Site, pool: PoolRef, signal: AbortSignal): Promise<boolean> {
  const { parseProviderId } = site.provider.pools;
  const nodes = await site.cluster.listNodes(signal);
  const parsed = nodes.flatMap(({ providerId }) => parseProviderId(providerId) ?? []);
  if (parsed.some(({ poolId }) => poolId !== undefined && isSameId(poolId, pool.id))) return true;
  if (await hasSavedModel(site, pool, signal)) return true;
  // The ids of a flexible pool's instances do not name their pool, but usually contain its name.
  const others = nodes.filter(({ providerId }) => isWithoutPool(parseProviderId(providerId)));
  const alike = others.filter(({ providerId }) => providerId.toLowerCase().includes(`/${pool.name.toLowerCase()}`));
  const located = alike.length > 0 ? await locateNodes(site, alike.slice(0, 1), signal) : [];
  if (located.some(({ ref }) => isSameId(ref.pool.id, pool.id))) return true;
  return others.length > 0 && (await readMembers(site, pool, signal)).length > 0;
}

function isWithoutPool(parsed: ParsedProviderId | undefined): boolean {
  return parsed !== undefined && parsed.poolId === undefined;
}

async function hasSavedModel({ cluster }: Site, pool: PoolRef, signal: AbortSignal): Promise<boolean> {
  try {
    return (await readSavedModelSecret(cluster, pool, signal)) !== undefined;
  } catch (error) {
    if (error instanceof Forbidden) return false;
    throw error;
  }
}

/** All pools of this machine; in a cloud, the pools that have nodes in this cluster. */
export async function listSitePools(site: Site, signal: AbortSignal): Promise<PoolRef[]> {
  if (site.pools) return [...(await site.pools(signal))];
  const located = await locateNodes(site, await site.cluster.listNodes(signal), signal);
  return unique(located.map(({ ref }) => ref.pool));
}

/** First only the nodes whose provider id contains the name: usually one request is enough. */
async function poolsNamed(site: Site, wanted: string, signal: AbortSignal): Promise<PoolRef[]> {
  const nodes = await site.cluster.listNodes(signal);
  const isNamed = ({ providerId }: Node) => providerId.toLowerCase().includes(wanted.toLowerCase());
  const named = (await locateNodes(site, nodes.filter(isNamed).slice(0, 1), signal)).map(({ ref }) => ref.pool);
  if (named.some((pool) => isCalled(pool, wanted))) return named;
  return (await locateNodes(site, nodes, signal)).map(({ ref }) => ref.pool);
}

/** Not found or not permitted: a node may still lead to a pool that we may read. */
function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof NotFound) && !(error instanceof Forbidden)) throw error;
}

function isCalled({ id, name }: PoolRef, wanted: string): boolean {
  return isSameId(id, wanted) || isSameId(name, wanted);
}

function unique(pools: readonly PoolRef[]): PoolRef[] {
  return [...new Map(pools.map((pool) => [pool.id.toLowerCase(), pool])).values()];
}
