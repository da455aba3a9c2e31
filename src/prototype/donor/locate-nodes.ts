// prototype/donor/locate-nodes.ts: which instance belongs to a node? Found by provider id, never by name.
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

/** Skips nodes that belong to no pool, such as control plane nodes. */
export async function locateNodes(
  { provider }: Site,
  nodes: readonly Node[],
  signal: AbortSignal,
): Promise<LocatedNode[]> {
  const found = await provider.pools.locateAll(
    nodes.map(({ providerId }) => providerId),
    { signal },
  );
  return nodes.flatMap((node) => {
    const ref = found.get(node.providerId);
    return ref ? [{ node, ref }] : [];
  });
}
