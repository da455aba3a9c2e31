// prototype/donor/members.ts: the nodes of a pool, each with its instance. One list of the pool; provider ids are only parsed.
import type { Node } from '../../cluster/cluster.ts';
import type { ListedInstance, PoolRef, Pools } from '../../vms/pools.ts';
import type { Site } from '../site.ts';
import type { LocatedNode } from './locate-nodes.ts';

export interface PoolMember extends LocatedNode {
  instance: ListedInstance;
}

/** Skips a node whose instance is gone. */
export async function readMembers(site: Site, pool: PoolRef, signal: AbortSignal): Promise<PoolMember[]> {
  const { provider, cluster } = site;
  const [nodes, instances] = await Promise.all([
    cluster.listNodes(signal),
    provider.pools.listInstances(pool, { signal }),
  ]);
  return pairMembers(provider.pools, pool, nodes, instances);
}

/** By provider id, never by name. Ids are compared ignoring case: Azure repeats an id in the case of the request. */
export function pairMembers(
  pools: Pick<Pools, 'parseProviderId'>,
  pool: PoolRef,
  nodes: readonly Node[],
  instances: readonly ListedInstance[],
): PoolMember[] {
  const byId = new Map(instances.map((instance) => [instance.ref.id.toLowerCase(), instance]));
  return nodes.flatMap((node) => {
    const parsed = pools.parseProviderId(node.providerId);
    if (!parsed || (parsed.poolId !== undefined && !isSameId(parsed.poolId, pool.id))) return [];
    const instance = byId.get(parsed.instanceId.toLowerCase());
    return instance ? [{ node, ref: instance.ref, instance }] : [];
  });
}

export function isSameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
