// prototype/donor/members.ts: the nodes of a pool, each with its instance.
import type { Instance, PoolRef } from '../../vms/pools.ts';
import type { Site } from '../site.ts';
import { type LocatedNode, locateNodes } from './locate-nodes.ts';

export interface PoolMember extends LocatedNode {
  instance: Instance;
}

/** Skips a node whose instance is gone. */
export async function readMembers(site: Site, pool: PoolRef, signal: AbortSignal): Promise<PoolMember[]> {
  const all = await locateNodes(site, await site.cluster.listNodes(signal), signal);
  const located = all.filter(({ ref }) => isSameId(ref.pool.id, pool.id));
  if (located.length === 0) return [];
  const instances = await site.provider.pools.listInstances(pool, { signal });
  return located.flatMap((one) => {
    const instance = instances.find(({ ref }) => isSameId(ref.id, one.ref.id));
    return instance ? [{ ...one, instance }] : [];
  });
}

/** Azure repeats an id in the case of the request; ids are case-insensitive. */
function isSameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
