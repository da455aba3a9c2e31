// e2e/standby.test.ts: standby nodes with a real kubelet, API server and QEMU: prepared, frozen, claimed, killed at every stage, damaged,
// changed while they were parked. The tests run in order; HEADSTART_CAMPAIGN=full adds tens of freezes and a round of kills for each seed.
import { spawnSync } from 'node:child_process';
import { openSync, readdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isReady } from '../demo/kubernetes/cluster.ts';
import { writeDocument } from '../demo/kubernetes/pool-options.ts';
import { CLUSTER } from '../demo/kubernetes/workshop.ts';
import { random } from '../sims/azure/world.ts';
import { requestedSeeds } from '../src/base/seeds.testing.ts';
import { instanceFiles, instancesFolder } from '../src/vms/qemu/home/layout.ts';
import { STANDBY_TIERS } from '../src/vms/standby.ts';
import { type KillPoint, type KillResult, runAndKill } from './labs/kill-at-text.ts';
import { processesIn } from './labs/qemu-lab.ts';
import { isCampaign, POOL, StandbyLab } from './labs/standby-lab.ts';

const LAUNCHER = fileURLToPath(new URL('../headstart', import.meta.url));
const BUILD_MS = 3 * 3_600_000;
const TEST_MS = 60 * 60_000;

const lab = new StandbyLab('standby-e2e');
beforeAll(() => lab.open(), BUILD_MS);
afterAll(() => lab.close(), TEST_MS);

describe('standby nodes', { timeout: TEST_MS }, () => {
  it('have a cluster, and a pool of our image without nodes', () => lab.raise());

  it('are prepared by the last of four commands: two were killed, and the QEMU of one', async () => {
    for (const point of PREPARING) {
      const { isHit, output } = await run(['standby', 'up', POOL, '--frozen', '3'], point);
      expect(isHit, output).toBe(true);
    }
    await lab.fill();
    await lab.expectRight({ frozen: 3 });
    for (const { instance, diskBytes } of (await lab.standby()).members) {
      expect(diskBytes).toBeGreaterThan(100e6);
      for (const file of [instanceFiles.memory, instanceFiles.devices])
        expect(statSync(join(lab.folderOf(instance), file)).mode & 0o777, file).toBe(0o600);
    }
  });

  it('are Ready within seconds of a claim, both at once, as distinct machines that run pods, without a bootstrap token', async () => {
    await lab.revokeTokens();
    const { claims, tookMs } = await lab.claim('--count', '2', '--no-refill');
    console.error(`two claims at once: Ready ${(tookMs / 1000).toFixed(2)} s after the command`);
    expect(claims.map(({ from }) => from)).toEqual(['frozen', 'frozen']);
    const names = claims.map(({ instance }) => instance).sort();
    expect(await lab.cluster.nodeNames()).toEqual(names);
    const nodes = await Promise.all(names.map(lab.cluster.node));
    for (const node of nodes) {
      expect(isReady(node!)).toBe(true);
      expect(node?.spec?.taints ?? []).toEqual([]);
      expect(node?.spec?.providerID).toMatch(/^azure:\/\/\/subscriptions\//); // from the metadata, as kubelet registered it
      expect(node?.metadata?.labels?.['kubernetes.io/hostname']).toBe(node?.metadata?.name);
    }
    for (const id of ['machineID', 'systemUUID', 'bootID'] as const)
      expect(new Set(nodes.map((node) => node?.status?.nodeInfo?.[id])).size, id).toBe(2);
    await lab.expectHealthy(names);
    await lab.runPod(names[0]!);
    for (const name of names) expect(readdirSync(lab.folderOf(name))).not.toContain(instanceFiles.memory);
    await lab.ask('node', 'distinct', ...names);
    await lab.ask('node', 'distinct', '--pool', POOL); // those that the pool has parked meanwhile, too
    await expectShared(names, 'machine-id');
  });

  it('apply a document that changed while they were parked, although the API server was restarted and the claim killed', async () => {
    const [member] = (await lab.standby()).members;
    await lab.restartCluster();
    const file = writeDocument(lab.stage, lab.workshop, lab.cluster, { generation: 2, kubelet: { maxPods: 77 } });
    await lab.ask('pool', 'set', POOL, '--user-data', file);
    expect((await lab.standby()).members[0]?.why).toContain('its document has changed');
    await run(['standby', 'claim', POOL, '--no-refill'], { victim: 'command', text: 'claiming', afterMs: 900 });
    await lab.ask('pool', 'scale', POOL, '3');
    expect(await lab.instances()).toContain(member!.instance);
    await lab.expectInService(await lab.instances());
    await lab.cluster.awaitNode(member!.instance, '77 pods', ({ status }) => status?.allocatable?.pods === '77');
  });

  if (isCampaign) describe('of a campaign', { timeout: TEST_MS }, campaign);

  it('leave nothing behind', () => lab.lower());
});

/** Kills while the first instance is prepared: before kubelet runs, before it is Ready, and while it is frozen. */
const PREPARING: readonly KillPoint[] = [
  { victim: 'qemu', text: 'to request a certificate', afterMs: 2000 },
  { victim: 'command', text: 'to be Ready', afterMs: 0 },
  { victim: 'command', text: 'to be frozen', afterMs: 1500 },
];

function campaign(): void {
  beforeEach(() => lab.reset(), TEST_MS);
  /** After a failure as well: the next test starts without nodes. */
  afterEach(() => lab.reset(), TEST_MS);

  it.each([1, 2, 3, 4, 5])('ten are claimed at once, all Ready, all distinct, each with a pod (round %i)', async () => {
    await lab.fill('--frozen', '10');
    const { claims, tookMs } = await lab.claim('--count', '10', '--no-refill');
    console.error(`ten claims at once: Ready ${(tookMs / 1000).toFixed(1)} s after the command`);
    const names = claims.map(({ instance }) => instance);
    expect(claims.map(({ from }) => from)).toEqual(names.map(() => 'frozen'));
    await lab.expectInService(names);
    await lab.ask('node', 'distinct', ...names);
    await lab.expectHealthy(names);
    for (const name of names) await lab.runPod(name);
  });

  it.each(STANDBY_TIERS)('%s: prepared, claimed, a pod, and its place refilled in the background', async (tier) => {
    await lab.fill('--frozen', '0', `--${tier}`, '1');
    const { claims } = await lab.claim();
    expect(claims.map(({ from }) => from)).toEqual([tier]);
    await lab.expectInService([claims[0]!.instance]);
    await lab.runPod(claims[0]!.instance);
    await lab.fill(); // waits for the refill in the background, and prepares nothing more
    expect((await lab.standby()).members.map((one) => `${one.tier} ${one.state}`)).toEqual([`${tier} ready`]);
  });

  it('boot when a byte of the frozen memory has changed, and say so', async () => {
    await lab.fill('--frozen', '1');
    const [member] = (await lab.standby()).members;
    flipByte(join(lab.folderOf(member!.instance), instanceFiles.memory));
    const { claims } = await lab.claim();
    expect(claims).toEqual([
      { instance: member!.instance, from: 'cold', why: `${instanceFiles.memory} is not as it was frozen` },
    ]);
    await lab.expectInService([member!.instance]);
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
    await lab.fill('--frozen', '1');
    await lab.expectRight({ frozen: 1 });
    kills.push(await run(['pool', 'scale', POOL, '1'], point(['take 1 from standby'], 1500)));
    await lab.ask('pool', 'scale', POOL, '1');
    expect(await lab.instances()).toHaveLength(1);
    await lab.expectInService(await lab.instances());
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

/** A killed API server is started again after a moment, as a supervisor would. */
async function run(args: string[], point: KillPoint): Promise<KillResult> {
  let restarted: Promise<unknown> = Promise.resolve();
  const result = await runAndKill(args, { HEADSTART_HOME: lab.home }, point, (victim) => {
    if (victim === 'api-server') {
      restarted = sleep(2000).then(() => lab.ask('cluster', 'up', '--name', CLUSTER));
      return apiServerPid();
    }
    const [newest = ''] = readdirSync(instancesFolder(lab.home, POOL)).sort().reverse();
    const pid = Number(readFileSync(join(lab.folderOf(newest), instanceFiles.pid), 'utf8'));
    if (!Number.isInteger(pid) || pid <= 1) throw new Error('no process');
    return pid;
  });
  await restarted;
  return result;
}

/** Gives the second node the machine-id of the first one for a moment. */
async function expectShared([a = '', b = '']: string[], item: string): Promise<void> {
  const [ofA, ofB] = [await lab.inside(a, 'cat', '/etc/machine-id'), await lab.inside(b, 'cat', '/etc/machine-id')];
  await lab.inside(b, 'sh', '-c', `echo ${ofA} >/etc/machine-id`);
  const env = { ...process.env, HEADSTART_HOME: lab.home };
  const { status, stdout, stderr } = spawnSync(LAUNCHER, ['node', 'distinct', a, b], {
    env,
    encoding: 'utf8',
  });
  await lab.inside(b, 'sh', '-c', `echo ${ofB} >/etc/machine-id`);
  expect(status, stderr).toBe(3);
  expect(stdout.match(/^shared: .*/gm)).toEqual([expect.stringContaining(`${a} and ${b} share the ${item}; `)]);
}

/** In the middle: QEMU itself would not notice. */
function flipByte(file: string): void {
  const fd = openSync(file, 'r+');
  writeSync(fd, Buffer.of(0x5a), 0, 1, Math.floor(statSync(file).size / 2));
}

function apiServerPid(): number {
  const isIt = (pid: number) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]?.endsWith('/kube-apiserver');
  const pid = processesIn(lab.home).find(isIt);
  if (pid === undefined) throw new Error('no process');
  return pid;
}
