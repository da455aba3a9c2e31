// prototype/donor/members.ts: which nodes does a pool have, and what is the instance of each like?
import type { Instance, PoolRef } from '../../vms/pools.ts';
import type { Site } from '../site.ts';
import { type LocatedNode, locateNodes } from './locate-nodes.ts';

export interface PoolMember extends LocatedNode {
  instance: Instance;
}

/** A node whose instance is gone is left out. */
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

/** Azure spells ids as it was asked: in another case it is the same id. */
function isSameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
