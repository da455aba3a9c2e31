// e2e/autoscaler.test.ts: does the real cluster-autoscaler scale a pool through our server, with a real API server? Pool and nodes are fakes.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig, type V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toNode } from '../src/cluster/kubernetes/nodes.ts';
import { openNodeGroup } from '../src/local/autoscaler/node-group.ts';
import { openNodeIds } from '../src/local/autoscaler/node-ids.ts';
import { type AutoscalerServer, serveAutoscaler } from '../src/local/autoscaler/serve.ts';
import { templateNode } from '../src/local/autoscaler/template-node.ts';
import { type FakePools, fakePools } from '../src/local/testing.ts';
import type { InstanceRef } from '../src/vms/pools.ts';
import { poolSpec } from '../src/vms/qemu/testing.ts';
import { startAutoscaler } from './labs/autoscaler.ts';
import type { Child } from './labs/child.ts';
import { until } from './labs/cluster-lab.ts';
import { type Plane, startPlane } from './labs/plane.ts';
import { ensureKube } from './programs/ensure-kube.ts';
import { givenAutoscaler } from './programs/find-autoscaler.ts';

const program = givenAutoscaler();
const BUILD_MS = 2 * 3_600_000;
const STEP_MS = 60_000;
const size = { cpus: 2, memoryMb: 2048, diskGb: 8 };
const [MIN, MAX] = [0, 2];

describe.skipIf(program === undefined)('cluster-autoscaler', { timeout: 3 * STEP_MS }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-autoscaler-'));
  const stopping = new AbortController();
  const reports: string[] = [];
  let plane: Plane;
  let core: CoreV1Api;
  let pools: FakePools;
  let server: AutoscalerServer;
  let autoscaler: Child;
  let kubelets: Promise<void> = Promise.resolve();

  beforeAll(async () => {
    plane = await startPlane(await ensureKube());
    const config = new KubeConfig();
    config.loadFromFile(plane.kubeconfig);
    core = config.makeApiClient(CoreV1Api);
    const namespace = 'default';
    await until(() => core.readNamespacedServiceAccount({ name: 'default', namespace }).catch(() => undefined));
    pools = fakePools(folder);
    const image = await pools.addImage('headstart', 'node', '2026.11.15');
    const { ref } = await pools.pools.createPool(poolSpec(image));
    const instance = { pool: ref, id: 'web-parked' };
    pools.standbyStates.set('web', {
      policy: { counts: { paused: 0, frozen: 1, stopped: 0 } },
      members: [{ instance, tier: 'frozen', state: 'ready', why: '' }],
    });
    const deps = { provider: pools, report: (what: string) => void reports.push(what), signal: stopping.signal };
    const group = openNodeGroup({ pool: ref, min: MIN, max: MAX }, { ...deps, mark: 'e2e' });
    server = await serveAutoscaler({ host: '127.0.0.1', port: 0 }, undefined, {
      groups: [group],
      nodeIds: openNodeIds({
        clusterOf: async () => 'lab',
        listNodes: async () => (await core.listNode()).items.map(toNode),
      }),
      template: async () =>
        templateNode({ pool: 'web', size, architecture: 'x64' }, { labels: { tier: 'front' }, taints: [] }),
      onBug: (error) => void reports.push(`bug: ${String(error)}`),
    });
    kubelets = keepNodes();
    const address = `127.0.0.1:${server.port}`;
    autoscaler = await startAutoscaler({ program: program!, kubeconfig: plane.kubeconfig, address, folder });
  }, BUILD_MS);

  afterAll(async () => {
    const log = join(folder, 'cluster-autoscaler.log');
    if (process.env.HEADSTART_VERBOSE === '1' && existsSync(log)) console.error(readFileSync(log, 'utf8'));
    await autoscaler?.stop();
    stopping.abort();
    await server?.stop();
    await kubelets;
    await plane?.stop();
    rmSync(folder, { recursive: true });
  });

  const instances = () => pools.pools.listInstances({ id: 'pools/web', name: 'web' });

  /** Instances are Nodes, and nothing else is: what kubelets and `pool serve` do for real pools. */
  async function keepNodes(): Promise<void> {
    while (!stopping.signal.aborted) {
      const listed = await instances();
      const nodes = (await core.listNode()).items.map(({ metadata }) => metadata?.name ?? '');
      for (const { ref, computerName } of listed)
        if (!nodes.includes(computerName)) await addNode(computerName, azureId(ref));
      for (const name of nodes)
        if (!listed.some(({ computerName }) => computerName === name))
          await core.deleteNode({ name }).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async function addNode(name: string, providerID: string): Promise<void> {
    const labels = { 'kubernetes.io/hostname': name, tier: 'front' };
    const now = new Date();
    const capacity = { cpu: '2', memory: '1700Mi', pods: '110' };
    const ready = { type: 'Ready', status: 'True', reason: 'x', lastHeartbeatTime: now, lastTransitionTime: now };
    const node = await core.createNode({ body: { metadata: { name, labels }, spec: { providerID } } });
    node.status = { capacity, allocatable: capacity, conditions: [ready] };
    await core.replaceNodeStatus({ name, body: node });
    // The API server adds it to every new Node, and the controller that removes it does not run here.
    const fresh = await core.readNode({ name });
    delete fresh.spec!.taints;
    await core.replaceNode({ name, body: fresh });
  }

  /** A pod that the scheduler could not place. */
  async function addPending(name: string, tier: string): Promise<void> {
    const body: V1Pod = {
      metadata: { name },
      spec: {
        nodeSelector: { tier },
        containers: [{ name: 'main', image: 'any', resources: { requests: { cpu: '1500m', memory: '1Gi' } } }],
      },
    };
    const pod = await core.createNamespacedPod({ namespace: 'default', body });
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      lastTransitionTime: new Date(),
    };
    pod.status = { phase: 'Pending', conditions: [condition] };
    await core.replaceNamespacedPodStatus({ name, namespace: 'default', body: pod });
  }

  async function bind(name: string, node: string): Promise<void> {
    const body = { metadata: { name }, target: { kind: 'Node', name: node } };
    await core.createNamespacedPodBinding({ name, namespace: 'default', body }).catch(ignoreEmptyAnswer);
  }

  const remove = (name: string) => core.deleteNamespacedPod({ name, namespace: 'default', gracePeriodSeconds: 0 });

  async function awaitCount(count: number): Promise<void> {
    await expect.poll(async () => (await instances()).length, { timeout: STEP_MS, interval: 200 }).toBe(count);
    expect(autoscaler.failure()).toBeUndefined();
  }

  it('scales a pool without nodes up for a pending pod, and gets the parked node', async () => {
    const startedMs = Date.now();
    await addPending('one', 'front');
    await awaitCount(1);
    console.error(`pending pod → instance claimed: ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
    const [instance] = await instances();
    expect(reports).toContain(`${instance!.computerName} was frozen`);
    await bind('one', instance!.computerName);
  });

  it('adds a cold node for another pod, none above the maximum, and none for a pod that no node of the pool fits', async () => {
    await addPending('two', 'front');
    await awaitCount(2);
    await addPending('three', 'front');
    await addPending('other', 'back');
    const [, second] = await instances();
    expect(reports).toContain(`${second!.computerName} was cold: none is ready`);
    await bind('two', second!.computerName);
    const events = async () => (await core.listNamespacedEvent({ namespace: 'default' })).items;
    for (const pod of ['three', 'other'])
      await expect
        .poll(
          async () =>
            (await events()).some((one) => one.involvedObject.name === pod && one.reason === 'NotTriggerScaleUp'),
          {
            timeout: STEP_MS,
          },
        )
        .toBe(true);
    expect(await instances()).toHaveLength(2);
    for (const pod of ['three', 'other']) await remove(pod);
  });

  it('deletes nodes that have been idle, by name, down to none', async () => {
    const [first, second] = await instances();
    await remove('one');
    await awaitCount(1);
    expect((await instances()).map(({ computerName }) => computerName)).toEqual([second!.computerName]);
    expect(reports).toContain(`deleting ${first!.ref.id}`);
    await remove('two');
    await awaitCount(0);
    expect(reports.filter((line) => line.startsWith('bug'))).toEqual([]);
  });
});

/** As kubelet of a local node registers it: from metadata like Azure's. */
function azureId({ pool, id }: InstanceRef): string {
  const group = '/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/local';
  return `azure://${group}/providers/Microsoft.Compute/virtualMachineScaleSets/${pool.name}/virtualMachines/${id}`;
}

/** The client cannot read the Status that a successful binding returns. */
function ignoreEmptyAnswer(error: unknown): void {
  if (error instanceof TypeError || error instanceof SyntaxError) return;
  throw error;
}
