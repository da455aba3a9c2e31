// e2e/chart-on-node.test.ts: does the packaged chart work on a real node? Its image is loaded into the node's containerd; its pods reach the API
// server and a simulated Azure. In `make campaign PART=chart-on-node` only; chart-install.test.ts has the same chart without a node.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KubeCluster, raiseCluster } from '../demo/kubernetes/cluster.ts';
import { imagePoolOptions } from '../demo/kubernetes/pool-options.ts';
import { readyAfterMs } from '../demo/kubernetes/ready-after.ts';
import { homeOf, type KubeWorkshop, openKubeWorkshop } from '../demo/kubernetes/workshop.ts';
import { openStage, type Stage } from '../demo/stage.ts';
import {
  buildChartFiles,
  type ChartFiles,
  type ChartReleases,
  type EndedJob,
  type GuestAzure,
  loadImage,
  openChartReleases,
  startGuestAzure,
  writeAzureJson,
} from './labs/chart-on-node.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Kubernetes and two images may have to be built. */
const BUILD_MS = 3 * 3_600_000;
const TEST_MS = 20 * 60_000;
const POOL = 'img';
const NODE = `${POOL}-000001`;

const home = homeOf('chart-e2e', root);
const folder = mkdtempSync(join(tmpdir(), 'headstart-chart-node-'));
const stage: Stage = openStage({ root, folder, home, signal: new AbortController().signal });
let workshop: KubeWorkshop;
let cluster: KubeCluster;
let azure: GuestAzure;
let files: ChartFiles;
let releases: ChartReleases;
let jobs: Record<string, EndedJob>;

beforeAll(async () => {
  workshop = await openKubeWorkshop(home, stage.signal);
  files = await buildChartFiles(folder);
  azure = await startGuestAzure();
}, BUILD_MS);
afterAll(async () => {
  await workshop?.close();
  await azure?.sim.stop();
  rmSync(folder, { recursive: true });
}, TEST_MS);

const inside = (...command: string[]) => stage.ask('pool', 'exec', '--no-stdin', NODE, '--', ...command);

describe('the packaged chart on a real node', { timeout: TEST_MS }, () => {
  it('has a node with the image and the configuration of Azure', async () => {
    cluster = await raiseCluster(stage);
    const options = await imagePoolOptions(stage, workshop, cluster);
    await stage.ask('pool', 'create', POOL, '--count', '1', '--service', azure.service, ...options);
    await readyAfterMs(stage, home, POOL, NODE);
    await loadImage(root, home, NODE, files.image.archive);
    await writeAzureJson(inside, azure.azureJson);
    expect(await inside('ctr', '--namespace', 'k8s.io', 'images', 'list', '-q')).toContain(files.image.digest);
  });

  it('ends a status run, a plan and a refused run, one pod each', async () => {
    releases = await openChartReleases({ kubeconfig: cluster.kubeconfig, node: NODE, files, azure });
    const { donors, poolId } = releases;
    jobs = await releases.run({
      status: { pool: poolId },
      plan: { targetPool: poolId, extraArgs: ['--dry-run'] },
      refused: { kamino: { targetNode: donors[1] }, pool: poolId },
    });
    for (const [name, { tookMs, log, reason }] of Object.entries(jobs))
      console.error(`${name}: ${(tookMs / 1000).toFixed(1)} s, ${reason}\n${log}`);
    expect(Object.values(jobs).map(({ pods }) => pods.length)).toEqual([1, 1, 1]);
    const [pod] = jobs.status!.pods;
    expect(pod?.spec).toMatchObject({ nodeName: NODE, containers: [{ image: `headstart@${files.image.digest}` }] });
    expect(Object.fromEntries(Object.entries(jobs).map(([name, { isComplete }]) => [name, isComplete]))).toEqual({
      ...{ status: true, plan: true },
      refused: false,
    });
  });

  it('status: reports what the scale set and its instances start from', () => {
    const { log } = jobs.status!;
    expect(log).toMatch(/^k8s-pool1-12345678-vmss starts from marketplace /);
    for (const donor of releases.donors) expect(log).toMatch(new RegExp(`^${donor} +marketplace .* running$`, 'm'));
  });

  it('plan: names the Ready donor and changes nothing in Azure', () => {
    expect(jobs.plan!.log).toContain(releases.donors[0]);
    expect(azure.sim.inspect().galleries).toEqual({});
  });

  it('refused: says that the donor is not Ready, and is not repeated', () => {
    expect(jobs.refused!.reason).toBe('PodFailurePolicy');
    expect(jobs.refused!.log).toMatch(/not Ready/i);
  });

  it('leaves nothing in the cluster when it is uninstalled', async () => {
    await releases.remove();
    expect(await cluster.nodeNames()).toEqual([NODE]);
  });
});
