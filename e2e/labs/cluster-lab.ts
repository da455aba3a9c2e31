// e2e/labs/cluster-lab.ts: a real control plane with simulated kubelets, and accounts that have exactly the rights they are given.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  PolicyV1Api,
  RbacAuthorizationV1Api,
  type V1Pod,
} from '@kubernetes/client-node';
import { systemClock } from '../../src/base/clock.ts';
import type { Cluster, Pod } from '../../src/cluster/cluster.ts';
import { kubernetesCluster } from '../../src/cluster/kubernetes/cluster.ts';
import { CLUSTER_RULES, EVENT_RULES, NAMESPACE_RULES, type RbacRule } from '../../src/cluster/kubernetes/rights.ts';
import { renderKubeconfig } from '../../src/cluster/local/kubeconfig.ts';
import { ensureKube, type KubeTools } from '../programs/ensure-kube.ts';
import { type KubeletSim, startKubelets } from './kubelet-sim.ts';
import { type Plane, startPlane } from './plane.ts';

export interface Rights {
  cluster: readonly RbacRule[];
  namespace: readonly RbacRule[];
  events: readonly RbacRule[];
}

export const SHIPPED: Rights = { cluster: CLUSTER_RULES, namespace: NAMESPACE_RULES, events: EVENT_RULES };

export interface KubeLab {
  tools: KubeTools;
  plane: Plane;
  kubelets: KubeletSim;
  core: CoreV1Api;
  apps: AppsV1Api;
  policy: PolicyV1Api;
  /** A namespace in which pods can be made, and an account in it with these rights and no others. */
  account(rights: Rights): Promise<{ namespace: string; cluster: Cluster; kubeconfig: string }>;
  addNamespace(name: string): Promise<void>;
  addPod(namespace: string, nodeName: string, name: string, more?: V1Pod): Promise<Pod>;
  close(): Promise<void>;
}

export async function openLab(): Promise<KubeLab> {
  const tools = await ensureKube();
  const plane = await startPlane(tools);
  const folder = mkdtempSync(join(tmpdir(), 'headstart-lab-'));
  const config = new KubeConfig();
  config.loadFromFile(plane.kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const rbac = config.makeApiClient(RbacAuthorizationV1Api);
  const admin = await kubernetesCluster({ kubeconfig: plane.kubeconfig, clock: systemClock });
  const kubelets = await startKubelets(plane);
  let serial = 0;

  async function addNamespace(name: string): Promise<void> {
    await core.createNamespace({ body: { metadata: { name } } });
    // Pods are refused until the controller has made this one.
    await until(() => core.readNamespacedServiceAccount({ name: 'default', namespace: name }).catch(() => undefined));
  }

  async function bind(
    kind: 'cluster' | 'namespace',
    name: string,
    home: string,
    scope: string,
    rules: readonly RbacRule[],
  ) {
    const subjects = [{ kind: 'ServiceAccount', name: 'headstart', namespace: home }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', name, kind: kind === 'cluster' ? 'ClusterRole' : 'Role' };
    const role = { metadata: { name }, rules: [...rules] };
    const binding = { metadata: { name }, roleRef, subjects };
    if (kind === 'cluster') {
      await rbac.createClusterRole({ body: role });
      await rbac.createClusterRoleBinding({ body: binding });
    } else {
      await rbac.createNamespacedRole({ namespace: scope, body: role });
      await rbac.createNamespacedRoleBinding({ namespace: scope, body: binding });
    }
  }

  return {
    tools,
    plane,
    kubelets,
    core,
    apps: config.makeApiClient(AppsV1Api),
    policy: config.makeApiClient(PolicyV1Api),
    addNamespace,
    account: async (rights) => {
      const namespace = `account-${++serial}`;
      await addNamespace(namespace);
      await core.createNamespacedServiceAccount({ namespace, body: { metadata: { name: 'headstart' } } });
      await bind('cluster', `headstart-${serial}`, namespace, '', rights.cluster);
      await bind('namespace', 'headstart', namespace, namespace, rights.namespace);
      await bind('namespace', `headstart-events-${serial}`, namespace, 'default', rights.events);
      const { status } = await core.createNamespacedServiceAccountToken({
        name: 'headstart',
        namespace,
        body: { spec: { audiences: [] } },
      });
      const kubeconfig = join(folder, `${namespace}.kubeconfig`);
      writeFileSync(kubeconfig, renderKubeconfig({ ...plane, token: status?.token ?? '', namespace }), { mode: 0o600 });
      const cluster = await kubernetesCluster({ kubeconfig, clock: systemClock, helper: { image: 'helper' } });
      return { namespace, cluster, kubeconfig };
    },
    addPod: async (namespace, nodeName, name, more = {}) => {
      await core.createNamespacedPod({
        namespace,
        body: {
          metadata: { ...more.metadata, name },
          spec: { nodeName, containers: [{ name: 'main', image: 'any' }], ...more.spec },
        },
      });
      return until(async () => {
        const pods = await admin.listPods(nodeName);
        return pods.find((pod) => pod.name === name && pod.namespace === namespace && pod.phase === 'Running');
      });
    },
    close: async () => {
      try {
        await kubelets.stop();
      } finally {
        await plane.stop();
        rmSync(folder, { recursive: true });
      }
    },
  };
}

/** A real cluster needs time to react. */
export async function until<T>(look: () => Promise<T | undefined | false>, withinMs = 30_000): Promise<T> {
  const untilMs = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > untilMs) throw new Error(`not in ${withinMs / 1000} s: ${look}`);
    await systemClock.sleep(50);
  }
}
