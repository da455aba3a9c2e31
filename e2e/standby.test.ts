// e2e/standby.test.ts: standby nodes with a real kubelet, API server and QEMU: prepared, frozen, claimed, killed at every stage, damaged,
// changed while they were parked. The tests run in order; HEADSTART_CAMPAIGN=full adds tens of freezes and a round of kills for each seed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isReady, type KubeCluster, raiseCluster } from '../demo/kubernetes/cluster.ts';
import { imagePoolOptions, writeDocument } from '../demo/kubernetes/pool-options.ts';
import { CLUSTER, homeOf, type KubeWorkshop, openKubeWorkshop } from '../demo/kubernetes/workshop.ts';
import { openStage, type Stage } from '../demo/stage.ts';
import { random } from '../sims/azure/world.ts';
import { requestedSeeds } from '../src/base/seeds.testing.ts';
import type { PoolView } from '../src/cli/pool/view.ts';
import type { StandbyView } from '../src/cli/standby/view.ts';
import { PARKED_TAINT } from '../src/cluster/kubernetes/park-node.ts';
import { instanceFiles, instanceFolder, instancesFolder, poolRef } from '../src/vms/qemu/home/layout.ts';
import { STANDBY_TIERS } from '../src/vms/standby.ts';
import { type KillPoint, type KillResult, runAndKill } from './labs/kill-at-text.ts';
import { processesIn } from './labs/qemu-lab.ts';
import { GREETING } from './labs/test-images.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const BUILD_MS = 3 * 3_600_000;
const TEST_MS = 60 * 60_000;
const POOL = 'spare';
/** By how much a guest's clock may be wrong after a claim. */
const CLOCK_MS = 2000;
const isCampaign = process.env.HEADSTART_CAMPAIGN === 'full';

const home = homeOf('standby-e2e', root);
const folder = mkdtempSync(join(tmpdir(), 'headstart-standby-'));
const stage: Stage = openStage({ root, folder, home, signal: new AbortController().signal });
let workshop: KubeWorkshop;
let cluster: KubeCluster;

beforeAll(async () => {
  workshop = await openKubeWorkshop(home, stage.signal);
}, BUILD_MS);
afterAll(async () => {
  await workshop?.close();
  rmSync(folder, { recursive: true });
}, TEST_MS);

describe('standby nodes', { timeout: TEST_MS }, () => {
  it('have a cluster, and a pool of our image without nodes', async () => {
    cluster = await raiseCluster(stage);
    const options = await imagePoolOptions(stage, workshop, cluster);
    await stage.ask('pool', 'create', POOL, '--count', '0', ...options);
    expect(await cluster.nodeNames()).toEqual([]);
  });

  it('are prepared by the last of four commands: two were killed, and the QEMU of one', async () => {
    for (const point of PREPARING) {
      const { isHit, output } = await run(['standby', 'up', POOL, '--frozen', '3'], point);
      expect(isHit, output).toBe(true);
    }
    await fill();
    await expectRight({ frozen: 3 });
    for (const { instance, diskBytes } of (await standby()).members) {
      expect(diskBytes).toBeGreaterThan(100e6);
      for (const file of [instanceFiles.memory, instanceFiles.devices])
        expect(statSync(join(folderOf(instance), file)).mode & 0o777, file).toBe(0o600);
    }
  });

  it('are Ready within seconds of a claim, both at once, as distinct machines that run pods', async () => {
    const { claims, tookMs } = await claim('--count', '2', '--no-refill');
    console.error(`two claims at once: Ready ${(tookMs / 1000).toFixed(2)} s after the command`);
    expect(claims.map(({ from }) => from)).toEqual(['frozen', 'frozen']);
    const names = claims.map(({ instance }) => instance).sort();
    expect(await cluster.nodeNames()).toEqual(names);
    const nodes = await Promise.all(names.map(cluster.node));
    for (const node of nodes) {
      expect(isReady(node!)).toBe(true);
      expect(node?.spec?.taints ?? []).toEqual([]);
      expect(node?.spec?.providerID).toMatch(/^azure:\/\/\/subscriptions\//); // from the metadata, as kubelet registered it
      expect(node?.metadata?.labels?.['kubernetes.io/hostname']).toBe(node?.metadata?.name);
    }
    for (const id of ['machineID', 'systemUUID', 'bootID'] as const)
      expect(new Set(nodes.map((node) => node?.status?.nodeInfo?.[id])).size, id).toBe(2);
    await expectHealthy(names);
    await runPod(names[0]!);
    for (const name of names) expect(readdirSync(folderOf(name))).not.toContain(instanceFiles.memory);
    await stage.ask('node', 'distinct', ...names);
    await stage.ask('node', 'distinct', '--pool', POOL); // those that the pool has parked meanwhile, too
    await expectShared(names, 'machine-id');
  });

  it('apply a document that changed while they were parked, although the API server was restarted and the claim killed', async () => {
    const [member] = (await standby()).members;
    await restartCluster();
    const file = writeDocument(stage, workshop, cluster, { generation: 2, kubelet: { maxPods: 77 } });
    await stage.ask('pool', 'set', POOL, '--user-data', file);
    expect((await standby()).members[0]?.why).toContain('its document has changed');
    await run(['standby', 'claim', POOL, '--no-refill'], { victim: 'command', text: 'claiming', afterMs: 900 });
    await stage.ask('pool', 'scale', POOL, '3');
    expect(await instances()).toContain(member!.instance);
    await expectInService(await instances());
    await cluster.awaitNode(member!.instance, '77 pods', ({ status }) => status?.allocatable?.pods === '77');
  });

  if (isCampaign) describe('of a campaign', { timeout: TEST_MS }, campaign);

  it('leave nothing behind', async () => {
    await stage.ask('pool', 'delete', POOL, '--yes');
    expect(await cluster.nodeNames()).toEqual([]);
    await stage.ask('cluster', 'down', '--name', CLUSTER, '--delete', '--yes');
    expect(processesIn(home)).toEqual([]);
  });
});

/** Kills while the first instance is prepared: before kubelet runs, before it is Ready, and while it is frozen. */
const PREPARING: readonly KillPoint[] = [
  { victim: 'qemu', text: 'to request a certificate', afterMs: 2000 },
  { victim: 'command', text: 'to be Ready', afterMs: 0 },
  { victim: 'command', text: 'to be frozen', afterMs: 1500 },
];

function campaign(): void {
  beforeEach(reset, TEST_MS);
  /** After a failure as well: the next test starts without nodes. */
  afterEach(reset, TEST_MS);

  it.each([1, 2, 3, 4, 5])('ten are claimed at once, all Ready, all distinct, each with a pod (round %i)', async () => {
    await fill('--frozen', '10');
    const { claims, tookMs } = await claim('--count', '10', '--no-refill');
    console.error(`ten claims at once: Ready ${(tookMs / 1000).toFixed(1)} s after the command`);
    const names = claims.map(({ instance }) => instance);
    expect(claims.map(({ from }) => from)).toEqual(names.map(() => 'frozen'));
    await expectInService(names);
    await stage.ask('node', 'distinct', ...names);
    await expectHealthy(names);
    for (const name of names) await runPod(name);
  });

  it.each(STANDBY_TIERS)('%s: prepared, claimed, a pod, and its place refilled in the background', async (tier) => {
    await fill('--frozen', '0', `--${tier}`, '1');
    const { claims } = await claim();
    expect(claims.map(({ from }) => from)).toEqual([tier]);
    await expectInService([claims[0]!.instance]);
    await runPod(claims[0]!.instance);
    await fill(); // waits for the refill in the background, and prepares nothing more
    expect((await standby()).members.map((one) => `${one.tier} ${one.state}`)).toEqual([`${tier} ready`]);
  });

  it('boot when a byte of the frozen memory has changed, and say so', async () => {
    await fill('--frozen', '1');
    const [member] = (await standby()).members;
    flipByte(join(folderOf(member!.instance), instanceFiles.memory));
    const { claims } = await claim();
    expect(claims).toEqual([
      { instance: member!.instance, from: 'cold', why: `${instanceFiles.memory} is not as it was frozen` },
    ]);
    await expectInService([member!.instance]);
  });

  it.each(requestedSeeds('1-10'))('no node is lost, none is there twice, after the kills of seed %i', async (seed) => {
    const draws = { random: seed };
    const pick = <T>(of: readonly T[]) => of[Math.floor(random(draws) * of.length)]!;
    const point = (texts: readonly string[], latestMs: number): KillPoint => ({
      victim: pick(['command', 'qemu', 'api-server']),
      text: pick(texts),
      afterMs: Math.floor(random(draws) * latestMs),
    });
    const kills: KillResult[] = [];
    for (let i = 0; i < 2; i++)
      kills.push(await run(['standby', 'up', POOL, '--frozen', '1'], point(PREPARING_TEXTS, 3000)));
    await fill('--frozen', '1');
    await expectRight({ frozen: 1 });
    kills.push(await run(['pool', 'scale', POOL, '1'], point(['take 1 from standby'], 1500)));
    await stage.ask('pool', 'scale', POOL, '1');
    expect(await instances()).toHaveLength(1);
    await expectInService(await instances());
    console.error(`seed ${seed}: ${kills.filter(({ isHit }) => isHit).length} of ${kills.length} kills hit`);
  });
}

const PREPARING_TEXTS = [
  ...[
    'the checksums of the image',
    'QEMU of',
    'to request a certificate',
    'to register',
    'to be Ready',
    'to be frozen',
  ],
];

async function reset(): Promise<void> {
  await stage.ask('standby', 'down', POOL, '--yes');
  await stage.ask('pool', 'scale', POOL, '0');
  expect(await cluster.nodeNames()).toEqual([]);
}

async function runPod(node: string): Promise<void> {
  const pod = await cluster.runHelloOn(node, workshop.images.hello.name);
  expect(await cluster.logOf(pod)).toBe(`${GREETING}\n`);
  await cluster.deletePod(pod);
}

/** No failed unit, the right time, and a journal whose entries come in order. */
async function expectHealthy(names: readonly string[]): Promise<void> {
  for (const name of names) {
    expect(await inside(name, 'systemctl', 'list-units', '--failed', '--plain', '--no-legend')).toBe('');
    const beforeMs = Date.now();
    const guestMs = Number(await inside(name, 'date', '+%s%3N'));
    expect(guestMs, `${name}: clock`).toBeGreaterThan(beforeMs - CLOCK_MS);
    expect(guestMs, `${name}: clock`).toBeLessThan(Date.now() + CLOCK_MS);
    if (isCampaign) await inside(name, 'journalctl', '--verify', '--quiet'); // fails for a damaged journal
  }
}

async function restartCluster(): Promise<void> {
  await stage.ask('cluster', 'down', '--name', CLUSTER);
  await stage.ask('cluster', 'up', '--name', CLUSTER);
}

/** A killed API server is started again after a moment, as a supervisor would. */
async function run(args: string[], point: KillPoint): Promise<KillResult> {
  let restarted: Promise<unknown> = Promise.resolve();
  const result = await runAndKill(args, { HEADSTART_HOME: home }, point, (victim) => {
    if (victim === 'api-server') {
      restarted = sleep(2000).then(() => stage.ask('cluster', 'up', '--name', CLUSTER));
      return apiServerPid();
    }
    const [newest = ''] = readdirSync(instancesFolder(home, POOL)).sort().reverse();
    const pid = Number(readFileSync(join(folderOf(newest), instanceFiles.pid), 'utf8'));
    if (!Number.isInteger(pid) || pid <= 1) throw new Error('no process');
    return pid;
  });
  await restarted;
  return result;
}

/** The lock of a killed refill is free again at once. */
const fill = (...counts: string[]) => stage.ask('standby', 'up', POOL, ...counts);

async function claim(...options: string[]): Promise<{ claims: { instance: string; from: string }[]; tookMs: number }> {
  const answer = await stage.ask('standby', 'claim', POOL, ...options, '--json');
  return JSON.parse(answer.trimEnd().split('\n').at(-1)!);
}

async function standby(): Promise<StandbyView> {
  const { pools }: { pools: StandbyView[] } = JSON.parse(await stage.ask('standby', 'status', POOL, '--json'));
  return pools[0]!;
}

/** Gives the second node the machine-id of the first one for a moment. */
async function expectShared([a = '', b = '']: string[], item: string): Promise<void> {
  const [ofA, ofB] = [await inside(a, 'cat', '/etc/machine-id'), await inside(b, 'cat', '/etc/machine-id')];
  await inside(b, 'sh', '-c', `echo ${ofA} >/etc/machine-id`);
  const env = { ...process.env, HEADSTART_HOME: home };
  const { status, stdout, stderr } = spawnSync(join(root, 'headstart'), ['node', 'distinct', a, b], {
    env,
    encoding: 'utf8',
  });
  await inside(b, 'sh', '-c', `echo ${ofB} >/etc/machine-id`);
  expect(status, stderr).toBe(3);
  expect(stdout.match(/^shared: .*/gm)).toEqual([expect.stringContaining(`${a} and ${b} share the ${item}; `)]);
}

const instances = async () =>
  (JSON.parse(await stage.ask('pool', 'show', POOL, '--json')) as PoolView).instances.map(({ name }) => name);

/** As many as asked for, ready, with no Node, no process, and no folder of a discarded one. */
async function expectRight({ frozen }: { frozen: number }): Promise<void> {
  const { members } = await standby();
  expect(members.map(({ tier, state }) => `${tier} ${state}`)).toEqual(Array(frozen).fill('frozen ready'));
  const inService = await instances();
  expect(await cluster.nodeNames()).toEqual([...inService].sort());
  const folders = readdirSync(instancesFolder(home, POOL)).filter((name) => !name.startsWith('.'));
  expect(folders.sort()).toEqual([...members.map(({ instance }) => instance), ...inService].sort());
}

async function expectInService(names: string[]): Promise<void> {
  expect((await instances()).sort()).toEqual([...names].sort());
  for (const name of names) {
    const node = await cluster.awaitNode(name, 'Ready', isReady);
    expect((node.spec?.taints ?? []).map(({ key }) => key)).not.toContain(PARKED_TAINT);
  }
  expect(await cluster.nodeNames()).toEqual([...names].sort());
}

const inside = async (instance: string, ...command: string[]) =>
  (await stage.ask('pool', 'exec', '--no-stdin', instance, '--', ...command)).trim();

const folderOf = (id: string) => instanceFolder(home, { pool: poolRef(POOL), id });

/** In the middle: QEMU itself would not notice. */
function flipByte(file: string): void {
  const fd = openSync(file, 'r+');
  writeSync(fd, Buffer.of(0x5a), 0, 1, Math.floor(statSync(file).size / 2));
}

function apiServerPid(): number {
  const isIt = (pid: number) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]?.endsWith('/kube-apiserver');
  const pid = processesIn(home).find(isIt);
  if (pid === undefined) throw new Error('no process');
  return pid;
}
