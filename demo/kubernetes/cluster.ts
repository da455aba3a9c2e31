// demo/kubernetes/cluster.ts: the demo's cluster, read from its API server: nodes, pods and pod logs, with waits.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { parse } from 'yaml';
import type { Stage } from '../stage.ts';
import { helloBudget, helloDeployment, helloPod, LABELS, NAMESPACE } from './hello.ts';
import { CLUSTER } from './workshop.ts';

const LOOK_EVERY_MS = 250;
/** Without hardware help the first pod of a node takes ten seconds, on a busy machine many more. */
const WITHIN_MS = 10 * 60_000;

export interface KubeCluster {
  name: string;
  kubeconfig: string;
  /** PEM */
  ca: string;
  node(name: string): Promise<V1Node | undefined>;
  nodeNames(): Promise<string[]>;
  deleteNode(name: string): Promise<void>;
  awaitNode(name: string, what: string, isIt: (node: V1Node) => boolean): Promise<V1Node>;
  /** Deploys two pods with a budget of one, and waits until both run. */
  deployHello(image: string): Promise<V1Pod[]>;
  helloPods(): Promise<V1Pod[]>;
  /** Runs a pod that the scheduler places on this node, and waits until it runs. */
  runHelloOn(node: string, image: string): Promise<V1Pod>;
  logOf(pod: V1Pod): Promise<string>;
  deletePod(pod: V1Pod): Promise<void>;
  /** Both pods on this node, and on no other. */
  gatherHelloOn(node: string): Promise<void>;
}

/** Starts the cluster first. */
export async function raiseCluster(stage: Stage): Promise<KubeCluster> {
  await stage.headstart('cluster', 'up', '--name', CLUSTER);
  const { kubeconfig }: { kubeconfig: string } = JSON.parse(
    await stage.ask('cluster', 'status', '--name', CLUSTER, '--json'),
  );
  const { AppsV1Api, CoreV1Api, KubeConfig, PatchStrategy, PolicyV1Api, setHeaderOptions } = await import(
    '@kubernetes/client-node'
  );
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const { signal } = stage;

  const node = (name: string) => core.readNode({ name }).catch(unlessNotFound);
  const until = <T>(what: string, look: () => Promise<T | undefined>) => awaitIt(what, look, signal);
  const helloPods = async () => (await core.listNamespacedPod({ namespace: NAMESPACE, labelSelector: SELECTOR })).items;
  const podOf = (pod: V1Pod) => ({ namespace: NAMESPACE, name: pod.metadata?.name ?? '' });
  // Pods are refused until the controller has made this service account.
  const awaitAccount = () =>
    until('the account of pods', () =>
      core.readNamespacedServiceAccount({ name: 'default', namespace: NAMESPACE }).catch(unlessNotFound),
    );
  const deletePod = async (pod: V1Pod) => {
    await core.deleteNamespacedPod(podOf(pod)).catch(unlessNotFound);
    await until('the end of a pod', async () =>
      (await core.readNamespacedPod(podOf(pod)).catch(unlessNotFound)) === undefined ? true : undefined,
    );
  };
  const setCordon = (name: string, unschedulable: boolean) =>
    core.patchNode(
      { name, body: { spec: { unschedulable } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );

  return {
    name: CLUSTER,
    kubeconfig,
    ca: certificatesIn(kubeconfig),
    node,
    nodeNames: async () => (await core.listNode()).items.map(({ metadata }) => metadata?.name ?? '').sort(),
    deleteNode: async (name) => {
      await core.deleteNode({ name });
    },
    awaitNode: (name, what, isIt) =>
      until(`${name}: ${what}`, async () => {
        const seen = await node(name);
        return seen && isIt(seen) ? seen : undefined;
      }),
    helloPods,
    async deployHello(image) {
      await awaitAccount();
      await config
        .makeApiClient(PolicyV1Api)
        .createNamespacedPodDisruptionBudget({ namespace: NAMESPACE, body: helloBudget() });
      const deployment = helloDeployment(image);
      await config.makeApiClient(AppsV1Api).createNamespacedDeployment({ namespace: NAMESPACE, body: deployment });
      return until('the pods of hello', async () => {
        const pods = await helloPods();
        return pods.length === deployment.spec?.replicas && pods.every(isReady) ? pods : undefined;
      });
    },
    async runHelloOn(nodeName, image) {
      await awaitAccount();
      const made = await core.createNamespacedPod({ namespace: NAMESPACE, body: helloPod(image, nodeName) });
      return until(`a pod on ${nodeName}`, async () => {
        const pod = await core.readNamespacedPod(podOf(made));
        return isReady(pod) ? pod : undefined;
      });
    },
    logOf: (pod) => core.readNamespacedPodLog(podOf(pod)),
    deletePod,
    async gatherHelloOn(nodeName) {
      const others = (await core.listNode()).items
        .map(({ metadata }) => metadata?.name ?? '')
        .filter(isOther(nodeName));
      for (const name of others) await setCordon(name, true);
      const elsewhere = (await helloPods()).filter(({ spec }) => spec?.nodeName !== nodeName);
      for (const pod of elsewhere) await deletePod(pod);
      await until(`the pods of hello on ${nodeName}`, async () => {
        const pods = await helloPods();
        return pods.length === 2 && pods.every((pod) => isReady(pod) && pod.spec?.nodeName === nodeName)
          ? true
          : undefined;
      });
      for (const name of others) await setCordon(name, false);
    },
  };
}

const isOther = (name: string) => (one: string) => one !== name;

const SELECTOR = Object.entries(LABELS)
  .map(([key, value]) => `${key}=${value}`)
  .join(',');

export function isReady({ status }: V1Node | V1Pod): boolean {
  const conditions: { type: string; status: string }[] = status?.conditions ?? [];
  return conditions.some((one) => one.type === 'Ready' && one.status === 'True');
}

async function awaitIt<T>(what: string, look: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  const untilMs = performance.now() + WITHIN_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > untilMs) throw new Error(`not in ${WITHIN_MS / 60_000} minutes: ${what}`);
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

function unlessNotFound(error: { code?: unknown }): undefined {
  if (error.code !== 404) throw error;
}

function certificatesIn(kubeconfig: string): string {
  const config = parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: { cluster: { 'certificate-authority-data': string } }[];
  };
  return Buffer.from(config.clusters[0]!.cluster['certificate-authority-data'], 'base64').toString();
}
