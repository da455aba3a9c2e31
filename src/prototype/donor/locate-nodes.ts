// prototype/donor/locate-nodes.ts: which instance belongs to a node? Found by provider id, never by name.
import type { Node } from '../../cluster/cluster.ts';
import type { InstanceRef } from '../../vms/pools.ts';
import type { Site } from '../site.ts';

export interface LocatedNode {
  node: Node;
  ref: InstanceRef;
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
