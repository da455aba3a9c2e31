// cluster/kubernetes/pods.ts: lists, evicts and deletes the pods of a node.

import type { V1Pod } from '@kubernetes/client-node';
import type { Cluster, Pod } from '../cluster.ts';
import type { Eviction } from '../drain/next-evictions.ts';
import type { Client } from './connect.ts';
import { errorResponseOf, type KubeErrorResponse } from './failures.ts';
import { HELPER_LABEL } from './helper-pod.ts';

const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

export function podCalls(client: Client): Pick<Cluster, 'listPods' | 'evict' | 'deletePod'> {
  const { core, apps, call, find } = client;

  /** Checks only DaemonSets: kubectl trusts every other controller, and each further kind would need one more right. */
  async function hasDaemonSet(pod: V1Pod, signal?: AbortSignal): Promise<boolean> {
    const owner = controllerOf(pod)!;
    const namespace = pod.metadata?.namespace ?? '';
    const request = { verb: 'get', resource: 'daemonsets', name: owner.name, namespace };
    const found = await find(
      request,
      (options) => apps.readNamespacedDaemonSet({ name: owner.name, namespace }, options),
      {
        signal,
      },
    );
    return found?.metadata?.uid === owner.uid;
  }

  return {
    listPods: async (nodeName, signal) => {
      const { items } = await call(
        { verb: 'list', resource: 'pods' },
        (options) => core.listPodForAllNamespaces({ fieldSelector: `spec.nodeName=${nodeName}` }, options),
        { signal },
      );
      // A helper pod of a run that died is not a workload; the next script on that node removes it.
      const workloads = items.filter((pod) => pod.metadata?.labels?.[HELPER_LABEL] === undefined);
      return Promise.all(
        workloads.map(async (pod) =>
          toPod(pod, controllerOf(pod)?.kind === 'DaemonSet' ? await hasDaemonSet(pod, signal) : true),
        ),
      );
    },

    evict: async ({ namespace, name, uid }, graceSeconds, signal) => {
      const request = { verb: 'create', resource: 'pods/eviction', name, namespace };
      const body = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name, namespace },
        deleteOptions: {
          preconditions: { uid },
          ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
        },
      };
      const eviction = await call(
        request,
        (options) =>
          core.createNamespacedPodEviction({ name, namespace, body }, options).then(
            (): Eviction => ({ outcome: 'evicted' }),
            (error: unknown) => {
              const response = errorResponseOf(error);
              const outcome = response && evictionOf(response);
              if (outcome) return outcome;
              throw error;
            },
          ),
        { signal },
      );
      return eviction;
    },

    deletePod: async ({ namespace, name, uid }, graceSeconds, signal) => {
      const request = { verb: 'delete', resource: 'pods', name, namespace };
      const body = { gracePeriodSeconds: graceSeconds, preconditions: { uid } };
      await call(
        request,
        (options) =>
          core.deleteNamespacedPod({ name, namespace, body }, options).catch((error: unknown) => {
            const status = errorResponseOf(error)?.status;
            // 404: gone. 409: another pod has this name.
            if (status !== 404 && status !== 409) throw error;
          }),
        { signal },
      );
    },
  };
}

/** undefined: the response is not about this pod's eviction. */
export function evictionOf({ status, reason, causes, message, retryAfterMs }: KubeErrorResponse): Eviction | undefined {
  if (status === 404) return { outcome: 'gone' };
  // The pod of that name has another uid than the one we sent.
  if (status === 409) return { outcome: 'gone' };
  if (status === 429) {
    return {
      outcome: 'blocked',
      // The status only says that a budget blocks it; the cause names the budget and what it needs.
      reason: causes.find((cause) => cause.message !== '')?.message ?? message,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }
  if (status === 403 && causes.some((cause) => cause.reason === 'NamespaceTerminating')) {
    return { outcome: 'blocked', reason: 'its namespace is being deleted' };
  }
  // Several budgets select the pod. The server sets no reason for this case, unlike for a real internal error.
  if (status === 500 && reason === '')
    return { outcome: 'stuck', reason: message || 'several disruption budgets select it' };
  return undefined;
}

export function toPod(pod: V1Pod, ownerExists: boolean): Pod {
  const owner = controllerOf(pod);
  const { metadata, spec, status } = pod;
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    ...(owner && { ownerKind: owner.kind }),
    ownerExists,
    isMirror: metadata?.annotations?.[MIRROR_ANNOTATION] !== undefined,
    hasEmptyDir: spec?.volumes?.some(({ emptyDir }) => emptyDir !== undefined) ?? false,
    phase: phaseOf(status?.phase),
    ...(metadata?.deletionTimestamp && { deletionMs: metadata.deletionTimestamp.getTime() }),
    ...(spec?.terminationGracePeriodSeconds !== undefined && { graceSeconds: spec.terminationGracePeriodSeconds }),
  };
}

function controllerOf(pod: V1Pod) {
  return pod.metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

function phaseOf(phase: string | undefined): Pod['phase'] {
  switch (phase) {
    case 'Pending':
    case 'Running':
    case 'Succeeded':
    case 'Failed':
      return phase;
    default:
      return 'Unknown';
  }
}
