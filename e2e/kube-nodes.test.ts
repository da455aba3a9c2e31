// e2e/kube-nodes.test.ts: real nodes of a real cluster, each kind from VM start to Ready with a pod on it: generic, its prototype, and our
// image configured from metadata. Runs that are killed drain a node within a budget, clones get their own identity, a node that does not join is
// reported, a change is applied in place, and a bad change is rolled back. The tests run in order; HEADSTART_CAMPAIGN=full adds a run for each seed.
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Identity, readIdentity, sharedIdentifiers } from '../demo/identity.ts';
import { isReady, type KubeCluster, raiseCluster } from '../demo/kubernetes/cluster.ts';
import { BAD_CHANGE, CHANGE } from '../demo/kubernetes/image-node.ts';
import { genericPoolOptions, imagePoolOptions, writeDocument } from '../demo/kubernetes/pool-options.ts';
import { readyAfterMs } from '../demo/kubernetes/ready-after.ts';
import { CLUSTER, homeOf, type KubeWorkshop, openKubeWorkshop } from '../demo/kubernetes/workshop.ts';
import { openStage, type Stage } from '../demo/stage.ts';
import { requestedSeeds } from '../src/base/seeds.testing.ts';
import type { ClusterView } from '../src/cli/cluster/view.ts';
import type { PoolView } from '../src/cli/pool/view.ts';
import { partialPrefix } from '../src/host/whole-folders.ts';
import { CERTIFICATE_PATH } from '../src/node/desired/aspects/join.ts';
import type { NodeStatus } from '../src/node/status/node-status.ts';
import { type NodeSteps, STEPS_PATH } from '../src/node/status/steps-file.ts';
import { instanceFiles, instanceFolder, parseVersionId, poolRef } from '../src/vms/qemu/home/layout.ts';
import { verifyVersion } from '../src/vms/qemu/home/version-records.ts';
import { describeKills, type Kill, randomKills, runWithKills } from './labs/kills.ts';
import { kubectlWithPlugin, nsenterImage, sideload } from './labs/kubectl-plugin.ts';
import { processesIn } from './labs/qemu-lab.ts';
import { GREETING } from './labs/test-images.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Kubernetes and an image may have to be built. */
const BUILD_MS = 3 * 3_600_000;
const TEST_MS = 30 * 60_000;
const [GENERIC, IMAGE] = ['gen', 'img'];
const [DONOR, IMAGE_NODE] = [`${GENERIC}-000001`, `${IMAGE}-000001`];
const CLONES = [`${GENERIC}-000002`, `${GENERIC}-000003`];
/** The node that faults hit. */
const UNLUCKY = CLONES[1]!;
/** A container that the donor's kubelet does not manage and so does not remove. */
const LEFT_OVER = 'left-over';

const isCampaign = process.env.HEADSTART_CAMPAIGN === 'full';
const LATEST_MS = 30_000;
/** What happens to the first, second and third call of the command; the next call must finish. */
const KILLS: readonly (readonly Kill[])[] = [
  // The run waits until the API server is back, and is killed when the donor is drained.
  [
    { victim: 'api-server', step: 'drain', afterMs: 1000 },
    { victim: 'pipeline', step: 'seal-donor', afterMs: 0 },
  ],
  [{ victim: 'pipeline', step: 'take-snapshot', afterMs: 0 }],
  [
    { victim: 'qemu', step: 'await-ready', afterMs: 2000 },
    { victim: 'pipeline', step: 'begin-version', afterMs: 2000 },
  ],
];
/** More runs of a campaign: one for each seed, killed three times. */
const LATER_KILLS: readonly { name: string; rounds: readonly (readonly Kill[])[] }[] = isCampaign
  ? requestedSeeds('1-5').map((seed) => ({ name: `seed ${seed}: `, rounds: randomKills(seed, LATEST_MS, 'pipeline') }))
  : [];
/** Some of the three kills of a seed come after the end of the run, and then all later ones do. */
const LEAST_KILLS = KILLS.flat().length + (isCampaign ? Math.max(1, LATER_KILLS.length * 2 - 2) : 0);

const home = homeOf('kube-e2e', root);
const folder = mkdtempSync(join(tmpdir(), 'headstart-kube-'));
const stage: Stage = openStage({ root, folder, home, signal: new AbortController().signal });
let workshop: KubeWorkshop;
let cluster: KubeCluster;
let bootId: string | undefined;
let struck = 0;
let cloneReadyMs = 0;
let apiServer = 0;
let repaired: Promise<unknown> = Promise.resolve();
const identities: Identity[] = [];
const certificates: X509Certificate[] = [];

beforeAll(async () => {
  workshop = await openKubeWorkshop(home, stage.signal);
}, BUILD_MS);
afterAll(async () => {
  await workshop?.close();
  rmSync(folder, { recursive: true });
}, TEST_MS);

const hello = () => workshop.images.hello.name;
const inside = async (instance: string, ...command: string[]) =>
  (await stage.ask('pool', 'exec', '--no-stdin', instance, '--', ...command)).trim();
const note = (kind: string, ms: number) => console.error(`${kind}: Ready ${(ms / 1000).toFixed(1)} s after VM start`);

describe('real nodes', { timeout: TEST_MS }, () => {
  it('have a control plane', async () => {
    cluster = await raiseCluster(stage);
    expect(cluster.ca).toContain('BEGIN CERTIFICATE');
    expect(await cluster.nodeNames()).toEqual([]);
  });

  it('generic: bootstrapped by cloud-init, joined with its own certificate, running pods', async () => {
    await stage.ask('pool', 'create', GENERIC, '--count', '1', ...genericPoolOptions(stage, workshop, cluster));
    note('generic', await readyAfterMs(stage, home, GENERIC, DONOR));
    const node = await cluster.node(DONOR);
    expect(node && isReady(node)).toBe(true);
    expect(node?.spec?.providerID).toBe(`qemu:///${GENERIC}/${DONOR}`);
    const pods = await cluster.deployHello(hello());
    expect(pods.map(({ spec }) => spec?.nodeName)).toEqual([DONOR, DONOR]);
    expect(await cluster.logOf(pods[0]!)).toBe(`${GREETING}\n`);
  });

  it('image: configured from its metadata alone, without cloud-init, running a pod', async () => {
    const options = await imagePoolOptions(stage, workshop, cluster);
    await stage.ask('pool', 'create', IMAGE, '--count', '1', ...options);
    note('image', await readyAfterMs(stage, home, IMAGE, IMAGE_NODE));
    const pod = await cluster.runHelloOn(IMAGE_NODE, hello());
    expect(await cluster.logOf(pod)).toBe(`${GREETING}\n`);
    await cluster.deletePod(pod);
    bootId = (await cluster.node(IMAGE_NODE))?.status?.nodeInfo?.bootID;
    expect(bootId).toBeTruthy();
    expect(await inside(IMAGE_NODE, 'sh', '-c', 'command -v cloud-init || echo absent')).toBe('absent');
    const { steps } = JSON.parse(await inside(IMAGE_NODE, 'cat', `/${STEPS_PATH}`)) as NodeSteps;
    expect(steps.map(({ name }) => name)).toContain('apply');
    expect(steps.map(({ name }) => name)).not.toContain('apply/daemon-reload'); // the image already has the file that it would write
  });

  it('image: read by `kubectl headstart boot collect --node`, with the real kubectl', async () => {
    const kubectl = await kubectlWithPlugin(root, folder, cluster.kubeconfig);
    const image = await nsenterImage();
    sideload(image, { root, home, instance: IMAGE_NODE });
    const bundle = join(folder, 'plugin.tar.gz');
    const collect = ['headstart', 'boot', 'collect', '--node', IMAGE_NODE, '--helper-image', image.name, '-o', bundle];
    const collected = await kubectl(...collect);
    console.error(`$ kubectl ${collect.join(' ')}\n${collected.stderr}${collected.stdout}`);
    expect(collected).toMatchObject({ code: 0, stdout: `${bundle}\n` });
    expect(collected.stderr).toMatch(/^took {4}systemctl-show-units\.txt /m);
    const timeline = await kubectl('headstart', 'boot', 'timeline', bundle, '--json');
    expect(JSON.parse(timeline.stdout)).toMatchObject({ endsAt: 'node-ready', bootId: bootId?.replaceAll('-', '') });
    console.error((await kubectl('headstart', 'boot', 'chain', bundle)).stdout.split('\n').slice(0, 6).join('\n'));
    const missing = await kubectl('headstart', 'boot', 'collect', '--node', 'nosuch', '--helper-image', image.name);
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no node nosuch in the cluster'),
    });
    expect((await kubectl('headstart', 'boot', 'colect')).stderr).toContain('`kubectl headstart boot collect`');
    expect(
      (await kubectl('get', 'pods', '--all-namespaces', '-l', 'app.kubernetes.io/managed-by=headstart', '-o', 'name'))
        .stdout,
    ).toBe('');
    expect((await kubectl('__complete', 'headstart', 'boot', 'coll')).stdout).toMatch(/^collect\t/m);
  });

  it('are drained within a budget by a prototype run that loses its API server and its donor and is killed three times, and return to service', async () => {
    await inside(DONOR, 'ctr', '--namespace', 'k8s.io', 'containers', 'create', hello(), LEFT_OVER);
    const found = await readIdentity(stage, DONOR);
    await runKilled(KILLS);
    expect(await readIdentity(stage, DONOR)).toEqual(found);
    await expectWholeVersion();
    await cluster.deletePod(await cluster.runHelloOn(DONOR, hello()));
    // The donor keeps its identity.
    expect(await inside(DONOR, 'ctr', '--namespace', 'k8s.io', 'containers', 'ls', '-q')).toContain(LEFT_OVER);
  });

  it.each(LATER_KILLS.map(({ name, rounds }) => [`${name}${describeKills(rounds.flat())}`, rounds] as const))(
    'are back in service after a run that was killed: %s',
    async (_, rounds) => {
      // There is at most one version a day.
      await stage.ask('prototype', 'uninstall', '--pool', GENERIC, '--to', 'original', '--yes');
      await cluster.gatherHelloOn(DONOR);
      await runKilled(rounds);
    },
  );

  it('enough runs were killed', async () => {
    console.error(`kill -9 with a real node as donor: ${struck} kills, each run ended with its node in service`);
    expect(struck).toBeGreaterThanOrEqual(LEAST_KILLS);
    await lookAndStop(DONOR);
  });

  it.each(CLONES)(
    'prototype: %s joins as itself, with the images of its donor and none of its containers',
    async (clone) => {
      await stage.ask('pool', 'scale', GENERIC, String(CLONES.indexOf(clone) + 2));
      cloneReadyMs = await readyAfterMs(stage, home, GENERIC, clone);
      note('prototype', cloneReadyMs);
      const [images, containers] = await Promise.all(
        ['images', 'containers'].map((what) => inside(clone, 'ctr', '--namespace', 'k8s.io', what, 'ls', '-q')),
      );
      expect(images?.split('\n')).toContain(hello());
      expect(containers?.split('\n')).not.toContain(LEFT_OVER);
      const pod = await cluster.runHelloOn(clone, hello());
      expect(await cluster.logOf(pod)).toBe(`${GREETING}\n`);
      await cluster.deletePod(pod);
      await lookAndStop(clone);
    },
  );

  it('donor and clones are three machines and three nodes with different identities', async () => {
    const names = [DONOR, ...CLONES];
    expect(sharedIdentifiers(identities)).toEqual([]);
    expect(identities.map(({ hostName }) => hostName)).toEqual(names);
    expect(certificates.map(({ subject }) => subject)).toEqual(
      names.map((name) => `O=system:nodes\nCN=system:node:${name}`),
    );
    expect(new Set(certificates.map(({ serialNumber }) => serialNumber)).size).toBe(names.length);
    const nodes = await Promise.all(names.map(cluster.node));
    for (const id of [
      nodes.map((node) => node?.metadata?.uid),
      nodes.map((node) => node?.status?.nodeInfo?.machineID),
      nodes.map((node) => node?.status?.nodeInfo?.systemUUID),
    ])
      expect(new Set(id).size).toBe(names.length);
  });

  it('a Node that is deleted while its VM boots is created again with another uid', async () => {
    const before = (await cluster.node(UNLUCKY))?.metadata?.uid;
    expect(before).toBeTruthy();
    const starting = stage.ask('pool', 'start', UNLUCKY);
    const deleting = expect.poll(() => existsSync(pidFileOf(UNLUCKY)), { timeout: TEST_MS }).toBe(true);
    await Promise.all([starting, deleting.then(() => cluster.deleteNode(UNLUCKY))]);
    const node = (await cluster.node(UNLUCKY))!;
    expect([isReady(node), node.metadata?.uid === before]).toEqual([true, false]);
  });

  it('a clone of an unscrubbed disk, with the certificate of another node, is reported within the deadline', async () => {
    const foreign = await inside(IMAGE_NODE, 'cat', CERTIFICATE_PATH);
    await inside(UNLUCKY, 'rm', '/etc/systemd/system/kubelet.service.d/10-headstart-clone-check.conf');
    await inside(UNLUCKY, 'systemctl', 'disable', 'headstart-clone-check.service');
    await inside(UNLUCKY, 'sh', '-c', `printf '%s\\n' "$1" >${CERTIFICATE_PATH}`, 'sh', foreign);
    await stage.ask('pool', 'stop', UNLUCKY);
    await cluster.deleteNode(UNLUCKY);
    // As long as several boots, because its kubelet has to reach the request that is refused.
    const deadline = `${Math.ceil((3 * cloneReadyMs) / 1000)}s`;
    await expect(stage.ask('pool', 'start', UNLUCKY, '--timeout', deadline)).rejects.toThrow(
      `the kubelet of ${UNLUCKY} uses the certificate of ${IMAGE_NODE}, so the API server refuses its requests`,
    );
    expect(await inside(UNLUCKY, 'systemctl', 'is-active', 'kubelet')).toBe('active'); // systemd reports no failure
    expect(await cluster.node(UNLUCKY)).toBeUndefined();
    await stage.ask('pool', 'stop', UNLUCKY);
  });

  it('are changed in place by new user data: no reboot, and the Node shows the generation', async () => {
    await deliver({ generation: 2, ...CHANGE });
    expect(configOf(await awaitConfig(2, 'Applied'))).toMatchObject({ 'headstart.dev/config-generation': '2' });
    await expectChanged();
  });

  it('roll back a change that kubelet does not start with', async () => {
    const before = uids(await cluster.helloPods());
    await deliver({ generation: 3, ...BAD_CHANGE });
    expect(configOf(await awaitConfig(3, 'RolledBack'))).toMatchObject({ 'headstart.dev/config-generation': '2' });
    const status = JSON.parse(await inside(IMAGE_NODE, 'cat', '/run/headstart/status.json')) as NodeStatus;
    expect(status).toMatchObject({ active: { generation: 2 }, bad: [{ generation: 3, code: 'verify/crash-loop' }] });
    await expectChanged();
    // The same pods. After a long absence of the node, they are marked ready shortly after it.
    await expect
      .poll(async () => uids((await cluster.helloPods()).filter(isServing)).sort(), { timeout: TEST_MS, interval: 500 })
      .toEqual(before.sort());
  });

  it('leave the cluster with their pools, and no process keeps running', async () => {
    for (const pool of [GENERIC, IMAGE]) await stage.ask('pool', 'delete', pool, '--yes');
    expect(await cluster.nodeNames()).toEqual([]);
    await stage.ask('cluster', 'down', '--name', CLUSTER, '--delete', '--yes');
    expect(processesIn(home)).toEqual([]);
  });
});

/** Each round kills the same command; the last call finishes. Pods have moved, and the donor is an ordinary node again. */
async function runKilled(rounds: readonly (readonly Kill[])[]): Promise<void> {
  const before = await cluster.helloPods();
  expect(before.map(({ spec }) => spec?.nodeName)).toEqual([DONOR, DONOR]);
  const counting = countServing();
  await runToItsEnd(rounds).finally(counting.stop);
  expect(await counting.least()).toBeGreaterThanOrEqual(1);
  const after = await cluster.helloPods();
  expect(after.filter(isServing).map(({ spec }) => spec?.nodeName)).toEqual([IMAGE_NODE, IMAGE_NODE]);
  expect(uids(after).filter((uid) => uids(before).includes(uid))).toEqual([]);
}

/** The pool's version is complete, and killed runs left no partial version and no process. */
async function expectWholeVersion(): Promise<void> {
  const { image } = JSON.parse(await stage.ask('pool', 'show', GENERIC, '--json')) as PoolView;
  const version = parseVersionId(`galleries/${image}`)!;
  await verifyVersion(home, version);
  const versions = readdirSync(join(home, 'galleries', version.gallery, version.definition));
  expect(versions.filter((name) => name.startsWith(partialPrefix))).toEqual([]);
}

async function runToItsEnd(rounds: readonly (readonly Kill[])[]): Promise<void> {
  const bootBefore = (await cluster.node(DONOR))?.status?.nodeInfo?.bootID;
  const run = ['prototype', 'run', '--node', DONOR, '--ready-for', '0', '--cloud-init', 'off', '--json'];
  apiServer = await apiServerPid();
  for (const kills of rounds) {
    const { signal, hits, stderr } = await runWithKills(kills, run, { home, pidOf, onHit });
    struck += hits;
    // A random kill may come after the end of the run; a planned one may not.
    if (kills.some(({ step }) => step !== undefined)) expect([signal, hits], stderr).toEqual(['SIGKILL', kills.length]);
  }
  await repaired;
  const ended = await runWithKills([], run, { home, pidOf });
  expect(ended.code, ended.stderr).toBe(0);
  // Not the state from before the stop, which the cluster reports for a while.
  const node = (await cluster.node(DONOR))!;
  expect(node.status?.nodeInfo?.bootID).not.toBe(bootBefore);
  expect([isReady(node), isFree(node)]).toEqual([true, true]);
  expect(Object.keys(node.metadata?.annotations ?? {}).filter((key) => key.startsWith('headstart.dev/'))).toEqual([]);
}

/** Restarts the API server, as an operator would. Waiting commands then continue. */
function onHit(victim: Kill['victim']): void {
  if (victim !== 'api-server') return;
  repaired = stage.ask('cluster', 'up', '--name', CLUSTER);
  repaired.catch(() => {}); // the awaiting caller gets the error
}

function pidOf(victim: 'qemu' | 'api-server'): number {
  if (victim === 'api-server') return apiServer;
  return Number(readFileSync(pidFileOf(DONOR), 'utf8'));
}

function pidFileOf(id: string): string {
  return join(instanceFolder(home, { pool: poolRef(GENERIC), id }), instanceFiles.pid);
}

async function apiServerPid(): Promise<number> {
  const { programs }: ClusterView = JSON.parse(await stage.ask('cluster', 'status', '--name', CLUSTER, '--json'));
  return programs.find(({ name }) => name === 'kube-apiserver')!.pid!;
}

/** On two cores an idle guest slows down the others. Its node stays in the cluster. */
async function lookAndStop(instance: string): Promise<void> {
  identities.push(await readIdentity(stage, instance));
  certificates.push(await certificateOf(instance));
  await stage.ask('pool', 'stop', instance);
}

/** Sets the user data as an operator does; the node has to notice it. */
async function deliver(document: Parameters<typeof writeDocument>[3]): Promise<void> {
  await stage.ask('pool', 'set', IMAGE, '--user-data', writeDocument(stage, workshop, cluster, document));
}

/** The second generation is in force, in kubelet and in the kernel, without a reboot. */
async function expectChanged(): Promise<void> {
  const node = await cluster.awaitNode(IMAGE_NODE, 'Ready', isReady);
  expect(node.status?.nodeInfo?.bootID).toBe(bootId);
  expect(node.status?.allocatable?.pods).toBe(String(CHANGE.kubelet.maxPods));
  const mapCount = await inside(IMAGE_NODE, 'cat', '/proc/sys/vm/max_map_count');
  expect(Number(mapCount)).toBe(CHANGE.sysctls['vm.max_map_count']);
}

/** Waits until the node reports this state with this generation; fails at once if it refuses the document. */
function awaitConfig(assigned: number, state: string): Promise<V1Node> {
  return cluster.awaitNode(IMAGE_NODE, `generation ${assigned}, ${state}`, (node) => {
    const seen = configOf(node);
    if (seen['headstart.dev/config-state'] === 'Blocked') throw new Error(`blocked: ${JSON.stringify(seen)}`);
    return (
      seen['headstart.dev/config-assigned-generation'] === String(assigned) &&
      seen['headstart.dev/config-state'] === state
    );
  });
}

const configOf = ({ metadata }: V1Node) => metadata?.annotations ?? {};
const isServing = (pod: V1Pod) => isReady(pod) && pod.metadata?.deletionTimestamp === undefined;
const uids = (pods: readonly V1Pod[]) => pods.map(({ metadata }) => metadata?.uid);
const isFree = ({ spec }: { spec?: { unschedulable?: boolean; taints?: unknown[] } }) =>
  spec?.unschedulable !== true && (spec?.taints ?? []).length === 0;

/** The smallest number of running pods while something else runs. */
function countServing(): { stop(): void; least(): Promise<number> } {
  const stopping = new AbortController();
  const counting = (async () => {
    let least = Number.POSITIVE_INFINITY;
    while (!stopping.signal.aborted) {
      const pods = await cluster.helloPods().catch(() => undefined); // a busy API server does not mean a missing pod
      if (pods) least = Math.min(least, pods.filter(isServing).length);
      await sleep(200);
    }
    return least;
  })();
  counting.catch(() => {}); // least() throws it
  return { stop: () => stopping.abort(), least: () => counting };
}

/** The certificate without its key, which stays in the guest. */
async function certificateOf(instance: string): Promise<X509Certificate> {
  return new X509Certificate(
    await inside(instance, 'sed', '-n', '/BEGIN CERTIFICATE/,/END CERTIFICATE/p', CERTIFICATE_PATH),
  );
}
