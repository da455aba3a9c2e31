// e2e/labs/chart-on-node.ts: the packaged chart on a real node: its image in the node's containerd, and a simulated Azure that its pods reach.
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeConfig, V1Pod } from '@kubernetes/client-node';
import { type AzureSim, startAzureSim } from '../../sims/azure/start.ts';
import { instancesOf } from '../../sims/azure/world.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { runCommand } from '../../src/base/command.ts';
import { buildContainerImage, writeImage } from '../../src/container/build.ts';
import { buildChart, writeChart } from '../../src/container/chart/build.ts';
import { ensureHelm } from '../programs/ensure-helm.ts';
import type { Json } from './chart-render.ts';
import { MERGE, providerIdOf } from './prototype-lab.ts';

/** In the guests' network; docs/pools.md has the API server's. */
const [AZURE_ADDRESS, API_SERVER] = ['168.0.0.99', '168.0.0.10'];
const NAMESPACE = 'headstart';
const POOL = 'k8s-pool1-12345678-vmss';
const AZURE_JSON = '/etc/kubernetes/azure.json';
const NODE_INFO = {
  ...{
    architecture: 'amd64',
    operatingSystem: 'linux',
    osImage: 'Ubuntu 24.04 LTS',
    kernelVersion: '6.8.0-1020-azure',
  },
  ...{ kubeletVersion: 'v1.35.8', kubeProxyVersion: '', containerRuntimeVersion: 'containerd://2.1.4' },
  ...{ bootID: '', machineID: '' },
};
const ENDS_WITHIN_MS = 5 * 60_000;
const LOOK_EVERY_MS = 500;

export interface ChartFiles {
  image: { archive: string; digest: string };
  /** The packaged chart. */
  chart: string;
}

/** What `make chart` writes. */
export async function buildChartFiles(folder: string): Promise<ChartFiles> {
  const image = await buildContainerImage();
  const { archive } = writeImage(image, join(folder, 'image'));
  const chart = buildChart(image.digest);
  writeChart(chart, join(folder, 'chart'));
  return { image: { archive, digest: image.digest }, chart: join(folder, 'chart', chart.fileName) };
}

/** Loads the archive as docs/container.md says, through ssh. */
export async function loadImage(root: string, home: string, instance: string, archive: string): Promise<void> {
  const load = ['ctr', '--namespace', 'k8s.io', 'images', 'import', '--digests'];
  const argv = ['pool', 'ssh', instance, '--', ...load, '--base-name', 'docker.io/library/headstart', '-'];
  const env = { ...process.env, HEADSTART_HOME: home };
  const child = spawn(join(root, 'headstart'), argv, { cwd: root, env, stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  createReadStream(archive).pipe(child.stdin);
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
    child.stdin.on('error', () => {}); // the exit code and the error output say why
  });
  if (code !== 0) throw new Error(`the image was not loaded: ${said}`);
}

export interface GuestAzure {
  sim: AzureSim<Clock>;
  /** An option of `pool create`. */
  service: string;
  /** For the node, at the path that the chart mounts. */
  azureJson: string;
}

export async function startGuestAzure(): Promise<GuestAzure> {
  const scenario = { cluster: 'demo', resourceGroup: 'demo', scaleSets: [{ name: POOL, instances: 2 }] };
  const sim = await startAzureSim({ scenario, clock: systemClock, speed: 1000, address: AZURE_ADDRESS });
  const { port } = new URL(sim.url);
  const world = sim.inspect();
  return {
    sim,
    service: `${AZURE_ADDRESS}:${port}=127.0.0.1:${port}`,
    azureJson: JSON.stringify({
      tenantId: world.tenantId,
      subscriptionId: world.subscriptionId,
      resourceGroup: 'demo',
      aadClientId: 'headstart',
      aadClientSecret: 'any-secret-will-do',
      resourceManagerEndpoint: sim.url,
    }),
  };
}

/** Puts the file where the chart expects it; `inside` runs a program on the node. */
export async function writeAzureJson(
  inside: (...command: string[]) => Promise<string>,
  azureJson: string,
): Promise<void> {
  await inside('mkdir', '-p', '/etc/kubernetes');
  await inside('sh', '-c', `umask 077; printf '%s' "$1" >${AZURE_JSON}`, 'sh', azureJson);
}

export interface EndedJob {
  isComplete: boolean;
  /** Of the Job's last condition. */
  reason: string | undefined;
  pods: V1Pod[];
  log: string;
  tookMs: number;
}

export interface ChartReleases {
  /** Two Nodes of Azure's instances: the first Ready, the second not. */
  donors: [ready: string, notReady: string];
  poolId: string;
  /** Installs one release for each, and waits for the ends of their Jobs. */
  run(releases: Record<string, Json>): Promise<Record<string, EndedJob>>;
  /** Uninstalls them, and deletes everything else. */
  remove(): Promise<void>;
}

interface Where {
  kubeconfig: string;
  /** The node for the pods. */
  node: string;
  files: ChartFiles;
  azure: GuestAzure;
}

export async function openChartReleases({ kubeconfig, node, files, azure }: Where): Promise<ChartReleases> {
  const { BatchV1Api, CoreV1Api, KubeConfig } = await import('@kubernetes/client-node');
  const config: KubeConfig = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const [core, batch] = [config.makeApiClient(CoreV1Api), config.makeApiClient(BatchV1Api)];
  const { helm } = await ensureHelm();
  const world = azure.sim.inspect();
  const set = Object.values(world.scaleSets)[0]!;
  const instances = instancesOf(world, set);
  const donors = instances.map(({ computerName }) => computerName.toLowerCase()) as [string, string];
  const installed: string[] = [];

  await core.createNamespace({ body: { metadata: { name: NAMESPACE } } });
  const caMap = { metadata: { name: 'azure-ca' }, data: { 'ca.pem': azure.sim.caPem } };
  await core.createNamespacedConfigMap({ namespace: NAMESPACE, body: caMap });
  for (const [at, name] of donors.entries()) {
    const spec = { providerID: providerIdOf(instances[at]!) };
    await core.createNode({ body: { metadata: { name, labels: { 'kubernetes.io/os': 'linux' } }, spec } });
  }

  /** As kubelets do; the node controller does not trust older reports. */
  async function report(): Promise<void> {
    for (const [at, name] of donors.entries()) {
      const ready = {
        type: 'Ready',
        status: at === 0 ? 'True' : 'False',
        lastHeartbeatTime: new Date().toISOString(),
        lastTransitionTime: new Date(Date.now() - 24 * 3_600_000).toISOString(),
      };
      const status = { conditions: [ready], nodeInfo: { ...NODE_INFO, systemUUID: instances[at]!.vmId } };
      await core.patchNodeStatus({ name, body: { status } }, MERGE);
    }
  }

  async function helmRun(args: readonly string[], input = ''): Promise<void> {
    const argv = [helm, ...args, '--namespace', NAMESPACE, '--kubeconfig', kubeconfig] as const;
    const ran = await runCommand(argv, { timeoutMs: 120_000, input });
    if (ran.code !== 0) throw new Error(`helm ${args.join(' ')}: ${ran.stderr}`);
  }

  async function endOf(release: string, startedMs: number): Promise<EndedJob> {
    const job = { name: release, namespace: NAMESPACE };
    for (;;) {
      const { status } = await batch.readNamespacedJob(job);
      const end = status?.conditions?.find(({ type, status: is }) => is === 'True' && /^(Complete|Failed)$/.test(type));
      const labelSelector = `batch.kubernetes.io/job-name=${release}`;
      const tookMs = performance.now() - startedMs;
      if (end || tookMs > ENDS_WITHIN_MS) {
        const { items } = await core.listNamespacedPod({ namespace: NAMESPACE, labelSelector });
        if (!end) throw new Error(`${release} did not end: ${JSON.stringify(items.map((pod) => pod.status))}`);
        const name = items[0]?.metadata?.name ?? '';
        const log = await core.readNamespacedPodLog({ name, namespace: NAMESPACE, container: 'headstart' });
        return { isComplete: end.type === 'Complete', reason: end.reason, pods: items, log, tookMs };
      }
      await report();
      await sleep(LOOK_EVERY_MS);
    }
  }

  return {
    donors,
    poolId: set.id,
    async run(releases) {
      await report();
      const startedMs = performance.now();
      for (const [name, values] of Object.entries(releases)) {
        installed.push(name);
        const all = { ...commonValues(node, azure), ...(values as object) };
        await helmRun(['install', name, files.chart, '--values', '-'], JSON.stringify(all));
      }
      const ends = Object.keys(releases).map(async (name) => [name, await endOf(name, startedMs)] as const);
      return Object.fromEntries(await Promise.all(ends));
    },
    async remove() {
      for (const name of installed) await helmRun(['uninstall', name]);
      await core.deleteNamespace({ name: NAMESPACE });
      for (const name of donors) await core.deleteNode({ name });
    },
  };
}

/** The address of the API server replaces the one that kubelet gives to pods, because no kube-proxy forwards that one here. */
function commonValues(node: string, { sim }: GuestAzure) {
  const env = {
    KUBERNETES_SERVICE_HOST: API_SERVER,
    KUBERNETES_SERVICE_PORT: '6443',
    AZURE_AUTHORITY_HOST: sim.url,
    NODE_EXTRA_CA_CERTS: '/etc/azure-ca/ca.pem',
  };
  return {
    image: { repository: 'headstart' },
    nodeSelector: { 'kubernetes.io/hostname': node },
    extraEnv: Object.entries(env).map(([name, value]) => ({ name, value })),
    extraVolumes: [{ name: 'azure-ca', configMap: { name: 'azure-ca' } }],
    extraVolumeMounts: [{ name: 'azure-ca', mountPath: '/etc/azure-ca', readOnly: true }],
    resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
  };
}
