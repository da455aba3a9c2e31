// prototype/donor/out-of-service.ts: which donors have runs left out of service, also those whose Node object is gone?
import type { Node } from '../../cluster/cluster.ts';
import type { InstanceRef, ListedInstance, PoolRef } from '../../vms/pools.ts';
import { DONOR_TAG } from '../names.ts';
import { readPrior } from '../run/prior.ts';
import type { Site } from '../site.ts';
import { isOfCluster, listSitePools } from './find-pool.ts';
import { isSameId, pairMembers } from './members.ts';
import { noNode } from './not-found.ts';

export interface LocatedDonor {
  /** The name of its Node; without one, its computer name. */
  name: string;
  /** Absent if the Node object is gone. */
  node?: Node;
  ref: InstanceRef;
}

export async function listOutOfService(site: Site, pool: PoolRef, signal: AbortSignal): Promise<LocatedDonor[]> {
  const { pools } = site.provider;
  const [nodes, instances] = await Promise.all([site.cluster.listNodes(signal), pools.listInstances(pool, { signal })]);
  return outOfService(pairMembers(pools, pool, nodes, instances), instances);
}

/** A run marks the node first and the instance next, and unmarks them in the opposite order. */
export function outOfService(
  members: readonly { node: Node; instance: ListedInstance }[],
  instances: readonly ListedInstance[],
): LocatedDonor[] {
  const nodeOf = new Map(members.map(({ node, instance }) => [instance.ref.id, node]));
  return instances.flatMap((instance) => {
    const node = nodeOf.get(instance.ref.id);
    if (instance.tags[DONOR_TAG] === undefined && readPrior(node) === undefined) return [];
    return [{ name: node?.name ?? instance.computerName, ...(node && { node }), ref: instance.ref }];
  });
}

/**
 * A node, or the instance of that computer name whose Node object was deleted while a run had it out of service. With `pool`
 * only there, otherwise in every pool of the site. Throws if there is neither.
 */
export async function locateDonor(
  site: Site,
  name: string,
  signal: AbortSignal,
  pool?: PoolRef,
): Promise<LocatedDonor> {
  const { cluster, provider, hasCluster } = site;
  const node = await cluster.readNode(name, signal);
  if (node) return { name, node, ref: await provider.pools.locate(node.providerId, { signal }) };
  for (const place of pool ? [pool] : await poolsToSearch(site, signal)) {
    const instances = await provider.pools.listInstances(place, { signal });
    const found = outOfService([], instances).find((donor) => isSameId(donor.name, name));
    if (found) return found;
  }
  const known = await cluster.listNodes(signal);
  throw noNode(
    name,
    known.map((one) => one.name),
    hasCluster,
  );
}

/** The donor may have been the only node of its pool, which then has no node in the cluster. */
async function poolsToSearch(site: Site, signal: AbortSignal): Promise<PoolRef[]> {
  const pools = await listSitePools(site, signal);
  for (const pool of (await site.groupPools?.(signal)) ?? []) {
    if (pools.some(({ id }) => isSameId(id, pool.id))) continue;
    if (await isOfCluster(site, pool, signal)) pools.push(pool);
  }
  return pools;
}
