// e2e/autoscaler-nodes.test.ts: does a pending pod run on a parked node of a real pool because the real cluster-autoscaler asked for one? And is
// that node deleted when it is idle? The campaign runs it, with a real kubelet, API server and QEMU.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CoreV1Api, KubeConfig, type V1PodSpec } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isReady, type KubeCluster, raiseCluster } from '../demo/kubernetes/cluster.ts';
import { imagePoolOptions } from '../demo/kubernetes/pool-options.ts';
import { CLUSTER, homeOf, type KubeWorkshop, openKubeWorkshop } from '../demo/kubernetes/workshop.ts';
import { openStage, type Stage } from '../demo/stage.ts';
import type { PoolView } from '../src/cli/pool/view.ts';
import { startAutoscaler } from './labs/autoscaler.ts';
import type { Child } from './labs/child.ts';
import { until } from './labs/cluster-lab.ts';
import { processesIn } from './labs/qemu-lab.ts';
import { givenAutoscaler } from './programs/find-autoscaler.ts';

const program = givenAutoscaler();
const root = fileURLToPath(new URL('..', import.meta.url));
const BUILD_MS = 3 * 3_600_000;
const TEST_MS = 30 * 60_000;
const [POOL, POD] = ['scaled', 'waits'];
const where = { namespace: 'default', name: POD };
const podSpec = (image: string): V1PodSpec => ({
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 1,
  containers: [{ name: 'main', image, imagePullPolicy: 'Never' }],
});

describe.skipIf(program === undefined)('cluster-autoscaler with real nodes', { timeout: TEST_MS }, () => {
  const home = homeOf('autoscaler-e2e', root);
  const folder = mkdtempSync(join(tmpdir(), 'headstart-autoscaler-'));
  const stage: Stage = openStage({ root, folder, home, signal: new AbortController().signal });
  let workshop: KubeWorkshop;
  let cluster: KubeCluster;
  let core: CoreV1Api;
  let nodeName = '';
  let server: ChildProcess;
  let autoscaler: Child;
  /** What the server printed. */
  const lines: string[] = [];

  beforeAll(async () => {
    workshop = await openKubeWorkshop(home, stage.signal);
  }, BUILD_MS);
  afterAll(async () => {
    await autoscaler?.stop();
    server?.kill('SIGTERM');
    await workshop?.close();
    rmSync(folder, { recursive: true });
  }, TEST_MS);

  it('have a cluster, a pool without nodes, one frozen node and a server', async () => {
    cluster = await raiseCluster(stage);
    const config = new KubeConfig();
    config.loadFromFile(cluster.kubeconfig);
    core = config.makeApiClient(CoreV1Api);
    await until(() => core.readNamespacedServiceAccount({ ...where, name: 'default' }).catch(() => undefined));
    const options = await imagePoolOptions(stage, workshop, cluster);
    await stage.ask('pool', 'create', POOL, '--count', '0', ...options);
    await stage.ask('standby', 'up', POOL, '--frozen', '1');
    const env = { ...process.env, HEADSTART_HOME: home };
    const argv = ['pool', 'serve', '--pool', `${POOL}:0:1`, '--listen', '0', '--json'];
    server = spawn(join(root, 'headstart'), argv, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface({ input: server.stdout! }).on('line', (line) => lines.push(line));
    await expect.poll(() => lines.length > 0, { timeout: TEST_MS }).toBe(true);
    const { address } = JSON.parse(lines[0]!) as { address: string };
    autoscaler = await startAutoscaler({ program: program!, kubeconfig: cluster.kubeconfig, address, folder });
  });

  it('a pending pod becomes ready on the frozen node', async () => {
    const startedMs = Date.now();
    const body = { metadata: { name: POD }, spec: podSpec(workshop.images.hello.name) };
    await core.createNamespacedPod({ namespace: 'default', body });
    await expect.poll(async () => isReady(await core.readNamespacedPod(where)), { timeout: TEST_MS }).toBe(true);
    console.error(`pod created → ready on a frozen node: ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
    nodeName = (await core.readNamespacedPod(where)).spec?.nodeName ?? '';
    expect(
      lines.some((line) => line.includes(`${nodeName} was frozen`)),
      lines.join('\n'),
    ).toBe(true);
    expect(autoscaler.failure()).toBeUndefined();
  });

  it('its node is deleted when no pod needs it', async () => {
    await core.deleteNamespacedPod(where);
    // Another node may be in the cluster for a while: the one that the pool prepares for standby instead.
    await expect.poll(() => cluster.node(nodeName), { timeout: TEST_MS, interval: 500 }).toBeUndefined();
    expect(
      lines.some((line) => line.includes(`deleting ${nodeName}`)),
      lines.join('\n'),
    ).toBe(true);
    const { instances } = JSON.parse(await stage.ask('pool', 'show', POOL, '--json')) as PoolView;
    expect(instances).toEqual([]);
  });

  it('leave nothing behind', async () => {
    await autoscaler.stop();
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    expect(await ended).toBe(143); // what a shell shows for SIGTERM; a crash would be 70
    await stage.ask('pool', 'delete', POOL, '--yes');
    await stage.ask('cluster', 'down', '--name', CLUSTER, '--delete', '--yes');
    expect(processesIn(home)).toEqual([]);
  });
});
