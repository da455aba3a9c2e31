// prototype/donor/locate-nodes.ts: which instance belongs to a node? Found by provider id, never by name.
import { NotFound, Refused } from '../../base/failures.ts';
import type { Node } from '../../cluster/cluster.ts';
import type { InstanceRef } from '../../vms/pools.ts';
import type { Site } from '../site.ts';
import { noNode } from './not-found.ts';

export interface LocatedNode {
  node: Node;
  ref: InstanceRef;
}

export async function locateNode(
  { provider, cluster, hasCluster }: Site,
  name: string,
  signal: AbortSignal,
): Promise<LocatedNode> {
  const node = await cluster.readNode(name, signal);
  if (!node) {
    const known = await cluster.listNodes(signal);
    throw noNode(
      name,
      known.map((one) => one.name),
      hasCluster,
    );
  }
  return { node, ref: await provider.pools.locate(node.providerId, { signal }) };
}

/** Each node takes one request, and a cloud throttles a client that sends all of them at once. */
const AT_ONCE = 8;

/** Skips nodes that belong to no pool, such as control plane nodes. */
export async function locateNodes(site: Site, nodes: readonly Node[], signal: AbortSignal): Promise<LocatedNode[]> {
  const located: LocatedNode[] = [];
  for (let from = 0; from < nodes.length; from += AT_ONCE) {
    const batch = nodes.slice(from, from + AT_ONCE).map((node) => locateIfMember(site, node, signal));
    located.push(...(await Promise.all(batch)).filter((one) => one !== undefined));
  }
  return located;
}

/** undefined: the node is not an instance of a pool. */
export async function locateIfMember(
  { provider }: Site,
  node: Node,
  signal: AbortSignal,
): Promise<LocatedNode | undefined> {
  try {
    return { node, ref: await provider.pools.locate(node.providerId, { signal }) };
  } catch (error) {
    if (error instanceof Refused || error instanceof NotFound) return undefined;
    throw error;
  }
}
