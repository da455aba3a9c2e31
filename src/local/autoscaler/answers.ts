// local/autoscaler/answers.ts: what does each call of cluster-autoscaler get as an answer? No gRPC here.
import { Refused } from '../../base/failures.ts';
import { parseProviderId, providerId } from '../../vms/qemu/home/layout.ts';
import type { GroupNode, NodeGroup } from './node-group.ts';
import type { IdOfNode, NodeIds } from './node-ids.ts';
import type { TemplateNode } from './template-node.ts';

export interface NodeName {
  providerId: string;
  name: string;
}

export interface AutoscalerDeps {
  groups: readonly NodeGroup[];
  nodeIds: NodeIds;
  template(group: NodeGroup): Promise<TemplateNode>;
}

/** Method name → its answer. The requests are messages of external-grpc.proto. */
export function answersOf({ groups, nodeIds, template }: AutoscalerDeps) {
  const groupOf = (id: string): NodeGroup => {
    const group = groups.find(({ pool }) => pool.name === id);
    if (!group) throw new Refused(`there is no node group ${JSON.stringify(id)}`, 'autoscaler/no-such-group');
    return group;
  };
  const nothing = async () => ({});
  return {
    NodeGroups: async () => ({ groups: groups.map(describe) }),

    /** Nodes of standby instances that are being prepared belong to no group, nor do nodes of instances that are gone. */
    async NodeGroupForNode({ node }: { node: NodeName | null }) {
      const found = instanceOf(node?.providerId ?? '');
      const group = found && groups.find(({ pool }) => pool.name === found.pool);
      return { group: group && (await group.has(found.id)) ? describe(group) : {} };
    },

    GPULabel: nothing,
    GetAvailableGPUTypes: nothing,
    Cleanup: nothing,

    /** Once in every round of the autoscaler. */
    async Refresh() {
      nodeIds.expire();
      for (const group of groups) group.settle().catch(() => undefined); // a question about the group gets the error
      return {};
    },

    NodeGroupTargetSize: async ({ id }: { id: string }) => ({ size: await groupOf(id).targetSize() }),

    async NodeGroupIncreaseSize({ id, delta }: { id: string; delta: number }) {
      await groupOf(id).increase(delta);
      return {};
    },

    async NodeGroupDecreaseTargetSize({ id, delta }: { id: string; delta: number }) {
      await groupOf(id).decrease(delta);
      return {};
    },

    async NodeGroupDeleteNodes({ id, nodes }: { id: string; nodes: NodeName[] }) {
      const group = groupOf(id);
      const ids = nodes.map((node) => {
        const found = instanceOf(node.providerId);
        if (found?.pool === group.pool.name) return found.id;
        throw new Refused(`${node.name} is not a node of ${id}; nothing was deleted`, 'autoscaler/foreign-node');
      });
      await group.deleteNodes(ids);
      return {};
    },

    async NodeGroupNodes({ id }: { id: string }) {
      const group = groupOf(id);
      const nodes = await group.nodes();
      const idOf = await nodeIds.idsIn(group.pool);
      return { instances: nodes.map((node) => toInstance(group, node, idOf)) };
    },

    async NodeGroupTemplateNodeInfo({ id }: { id: string }) {
      const node = await template(groupOf(id));
      return { node, oldNode: node };
    },
  };
}

const describe = ({ pool, min, max }: NodeGroup) => ({
  id: pool.name,
  minSize: min,
  maxSize: max,
  debug: `local pool ${pool.name}, ${min} to ${max} nodes`,
});

function instanceOf(text: string): { pool: string; id: string } | undefined {
  try {
    const { pool, id } = parseProviderId(text);
    return { pool: pool.name, id };
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

const STATES: Readonly<Record<GroupNode['state'], number>> = { unknown: 0, running: 1, creating: 2, deleting: 3 };
const [OUT_OF_RESOURCES, OTHER] = [1, 99];

function toInstance({ pool }: NodeGroup, { id, nodeName, state, failure }: GroupNode, idOf: IdOfNode) {
  return {
    id: (nodeName === undefined ? undefined : idOf(nodeName)) ?? providerId({ pool, id }),
    status: {
      state: STATES[state],
      ...(failure && {
        failure: {
          code: failure.code,
          message: failure.message,
          class: failure.isOutOfResources ? OUT_OF_RESOURCES : OTHER,
        },
      }),
    },
  };
}
