// local/autoscaler/node-ids.ts: under which provider id did each node register? cluster-autoscaler compares ids as they are, and deletes a
// node that is listed under another one.
import { TransientError, UserError } from '../../base/errors.ts';
import type { Node } from '../../cluster/cluster.ts';
import type { PoolRef } from '../../vms/pools.ts';

/** Undefined: there is no such Node. Throws why, when that is not known. */
export type IdOfNode = (nodeName: string) => string | undefined;

export interface NodeIds {
  /** The next question reads the Nodes again. */
  expire(): void;
  idsIn(pool: PoolRef): Promise<IdOfNode>;
}

export interface NodeIdsDeps {
  /** Undefined: the pool is in no cluster that we can read. */
  clusterOf(pool: PoolRef): Promise<string | undefined>;
  listNodes(cluster: string): Promise<Pick<Node, 'name' | 'providerId'>[]>;
}

export function openNodeIds({ clusterOf, listNodes }: NodeIdsDeps): NodeIds {
  const last = new Map<string, ReadonlyMap<string, string>>();
  const reads = new Map<string, Promise<IdOfNode>>();

  async function read(cluster: string): Promise<IdOfNode> {
    try {
      const nodes = (await listNodes(cluster)).filter(({ providerId }) => providerId !== '');
      const ids = new Map(nodes.map(({ name, providerId }) => [name, providerId]));
      last.set(cluster, ids);
      return (name) => ids.get(name);
    } catch (error) {
      if (!(error instanceof TransientError || error instanceof UserError)) throw error;
      const ids = last.get(cluster);
      return (name) => {
        const id = ids?.get(name);
        if (id === undefined) throw error; // a wrong id would make the autoscaler delete a healthy node
        return id;
      };
    }
  }

  return {
    expire: () => reads.clear(),
    async idsIn(pool) {
      const cluster = await clusterOf(pool);
      if (cluster === undefined) return () => undefined;
      const reading = reads.get(cluster) ?? read(cluster);
      reads.set(cluster, reading);
      return reading;
    },
  };
}
