// cluster/kubernetes/nodes.ts: reads Nodes, and changes a Node only if it is unchanged since the read.
import type { V1Node } from '@kubernetes/client-node';
import { Conflict, NotFound } from '../../base/failures.ts';
import type { Cluster, Node, NodeChange } from '../cluster.ts';
import { type Client, MERGE_PATCH } from './connect.ts';

export function nodeCalls({ core, call, find }: Client): Pick<Cluster, 'readNode' | 'listNodes' | 'changeNode'> {
  return {
    readNode: async (name, signal) => {
      const request = { verb: 'get', resource: 'nodes', name };
      const node = await find(request, (options) => core.readNode({ name }, options), { signal });
      return node && toNode(node);
    },
    listNodes: async (signal) => {
      const { items } = await call({ verb: 'list', resource: 'nodes' }, (options) => core.listNode({}, options), {
        signal,
      });
      return items.map(toNode);
    },
    changeNode: async (node, change, signal) => {
      const request = { verb: 'patch', resource: 'nodes', name: node.name };
      const body = changeBody(node, change);
      try {
        await call(request, (options) => core.patchNode({ name: node.name, body }, options), {
          signal,
          contentType: MERGE_PATCH,
        });
      } catch (error) {
        if (error instanceof NotFound) throw new Conflict(`node ${node.name} was deleted since it was read`, error);
        throw error;
      }
    },
  };
}

/** The server refuses (409) a merge patch with a resourceVersion unless the object has exactly that version. */
export function changeBody(node: Node, { isUnschedulable, annotations }: NodeChange): object {
  return {
    metadata: {
      uid: node.uid,
      resourceVersion: node.resourceVersion,
      ...(annotations && { annotations }),
    },
    // false is written as absent, as `kubectl uncordon` leaves it.
    ...(isUnschedulable !== undefined && { spec: { unschedulable: isUnschedulable || null } }),
  };
}

export function toNode(node: V1Node): Node {
  const info = node.status?.nodeInfo;
  const conditions = node.status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  const isReady = ready?.status === 'True';
  return {
    name: node.metadata?.name ?? '',
    uid: node.metadata?.uid ?? '',
    resourceVersion: node.metadata?.resourceVersion ?? '',
    providerId: node.spec?.providerID ?? '',
    isUnschedulable: node.spec?.unschedulable === true,
    isReady,
    ...(isReady && ready.lastTransitionTime && { readySinceMs: ready.lastTransitionTime.getTime() }),
    troubles: conditions
      .filter(({ type, status }) => status === 'True' && (type.endsWith('Pressure') || type === 'NetworkUnavailable'))
      .map(({ type }) => type),
    annotations: node.metadata?.annotations ?? {},
    labels: node.metadata?.labels ?? {},
    taints: (node.spec?.taints ?? []).map(({ key, value, effect }) => ({
      key,
      effect,
      ...(value !== undefined && { value }),
    })),
    os: info?.operatingSystem ?? '',
    architecture: info?.architecture ?? '',
    osImage: info?.osImage ?? '',
    kernelVersion: info?.kernelVersion ?? '',
    kubeletVersion: info?.kubeletVersion ?? '',
    machineId: info?.machineID ?? '',
    systemUuid: info?.systemUUID ?? '',
    ...(info?.bootID && { bootId: info.bootID }),
  };
}
