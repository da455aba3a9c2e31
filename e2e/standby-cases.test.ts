// e2e/standby-cases.test.ts: what happens to a node while it is parked, with a real kubelet, API server and QEMU? The API server moves or
// restarts, tokens are revoked, a certificate ends, hours pass, the document changes. A part of the campaign (`make campaign PART=standby`).
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CertificatesV1Api } from '@kubernetes/client-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeDocument } from '../demo/kubernetes/pool-options.ts';
import { CLUSTER } from '../demo/kubernetes/workshop.ts';
import { readParked } from '../src/vms/qemu/standby/parked-record.ts';
import { processesIn } from './labs/qemu-lab.ts';
import { FROZEN_HOURS, POOL, StandbyLab } from './labs/standby-lab.ts';

const BUILD_MS = 3 * 3_600_000;
const TEST_MS = 60 * 60_000;
/** Of the certificates in the tests of their end. A node is not parked with less than ten minutes left. */
const SHORT_MINUTES = 13;
const LOOK_EVERY_MS = 1000;

const lab = new StandbyLab('standby-cases');
beforeAll(async () => {
  await lab.open();
  await lab.raise();
}, BUILD_MS);
afterAll(async () => {
  await lab.lower().finally(() => lab.close());
}, TEST_MS);

describe('while it is parked', { timeout: TEST_MS + FROZEN_HOURS * 3_600_000 }, () => {
  beforeEach(() => lab.reset(), TEST_MS);
  afterEach(() => lab.reset(), TEST_MS);

  it('the API server moves: a frozen node is Ready at its new port; a paused one is replaced, and the claim says why', async () => {
    await lab.fill('--paused', '1', '--frozen', '1');
    const [paused, frozen] = ['paused', 'frozen'].map(await memberOf());
    await lab.moveCluster();
    const { members } = await lab.standby();
    expect(members.find(({ instance }) => instance === frozen)).toMatchObject({ state: 'ready' });
    const moved = expect.stringContaining('the API server has moved');
    expect(members.find(({ instance }) => instance === paused)).toMatchObject({ state: 'broken', why: moved });
    const { claims, tookMs } = await lab.claim('--count', '2', '--no-refill');
    console.error(
      `the API server moved: ${JSON.stringify(claims)}, Ready ${(tookMs / 1000).toFixed(2)} s after the command`,
    );
    expect(claims).toEqual([
      { instance: frozen, from: 'frozen', why: moved },
      { instance: expect.not.stringMatching(paused!), from: 'cold', why: moved },
    ]);
    const names = claims.map(({ instance }) => instance);
    await lab.expectInService(names);
    await lab.expectHealthy([frozen!]);
    await lab.runPod(frozen!);
    await lab.ask('pool', 'start', paused!); // by its name, it boots
    await lab.expectInService([...names, paused!]);
  });

  it('the API server restarts: each tier is claimed as what it was, and is Ready', async () => {
    await lab.fill('--paused', '1', '--frozen', '1', '--stopped', '1');
    await lab.restartCluster();
    const { claims } = await lab.claim('--count', '3', '--no-refill');
    expect(claims.map(({ from }) => from)).toEqual(['paused', 'frozen', 'stopped']);
    const names = claims.map(({ instance }) => instance);
    await lab.expectInService(names);
    await lab.expectHealthy(names);
  });

  it('every bootstrap token is revoked: it is Ready with the certificate that it had, and requests no other', async () => {
    await lab.fill('--paused', '1', '--frozen', '1');
    const certificates = lab.api(CertificatesV1Api);
    await lab.revokeTokens();
    const requests = async () =>
      (await certificates.listCertificateSigningRequest()).items
        .filter(({ spec }) => spec.signerName === 'kubernetes.io/kube-apiserver-client-kubelet')
        .map(({ metadata }) => metadata?.name);
    const before = await requests();
    const ends = await certificateEnds();
    const { claims } = await lab.claim('--count', '2', '--no-refill');
    expect(claims.map(({ from }) => from)).toEqual(['paused', 'frozen']);
    const names = claims.map(({ instance }) => instance);
    await lab.expectInService(names);
    expect(await lab.tokens()).toEqual([]);
    for (const name of names) expect((await lab.certificateOf(name)).validToDate.getTime()).toBe(ends.get(name));
    expect((await requests()).filter((name) => !before.includes(name))).toEqual([]);
    await lab.runPod(names[1]!);
  });

  it('its certificate comes to its end: it is not handed out, the status and the claim say so, and by its name it boots', async () => {
    await signForMinutes(SHORT_MINUTES);
    try {
      await lab.fill('--frozen', '1');
      const [frozen] = ['frozen'].map(await memberOf());
      const why = 'its certificate has expired or is about to';
      expect((await lab.standby()).members).toMatchObject([{ state: 'ready' }]);
      await until('the end of the certificate', async () => (await lab.standby()).members[0]?.state === 'broken');
      expect((await lab.standby()).members).toMatchObject([{ instance: frozen, state: 'broken', why }]);
      const { claims } = await lab.claim('--no-refill');
      console.error(`a certificate at its end: ${JSON.stringify(claims)}`);
      expect(claims).toEqual([
        {
          instance: expect.not.stringMatching(frozen!),
          from: 'cold',
          why: expect.stringContaining(`${frozen}: ${why}`),
        },
      ]);
      await lab.ask('pool', 'start', frozen!);
      await lab.expectInService([claims[0]!.instance, frozen!]);
    } finally {
      await lab.ask('cluster', 'up', '--name', CLUSTER); // signs for as long as before
    }
    await lab.fill();
    expect((await lab.standby()).members).toMatchObject([{ state: 'ready' }]);
  });

  it('its certificate expires: a stopped node gets another one when it boots, and is Ready', async () => {
    await signForMinutes(SHORT_MINUTES);
    try {
      await lab.fill('--stopped', '1');
      const [[name, endMs] = ['', 0]] = await certificateEnds();
      await sleep(Math.max(0, endMs - Date.now()) + LOOK_EVERY_MS);
      const { claims } = await lab.claim('--no-refill');
      expect(claims).toMatchObject([{ instance: name, from: 'stopped' }]);
      await lab.expectInService([name]);
      expect((await lab.certificateOf(name)).validToDate.getTime()).toBeGreaterThan(Date.now());
    } finally {
      await lab.ask('cluster', 'up', '--name', CLUSTER);
    }
  });

  it(`${FROZEN_HOURS} hours pass: the clock is right at once, no unit has failed, and the journal is whole`, async () => {
    await lab.fill('--frozen', '1');
    await sleep(FROZEN_HOURS * 3_600_000);
    const { claims, tookMs } = await lab.claim('--no-refill');
    console.error(`frozen for ${FROZEN_HOURS} h: Ready ${(tookMs / 1000).toFixed(2)} s after the command`);
    expect(claims).toMatchObject([{ from: 'frozen' }]);
    const names = claims.map(({ instance }) => instance);
    await lab.expectHealthy(names);
    await lab.expectInService(names);
    await lab.runPod(names[0]!);
    await lab.expectHealthy(names); // timers were due all at once
  });

  it('its document changes: it is claimed as it was frozen, with the new document and without the taint', async () => {
    await lab.fill('--frozen', '1');
    const [frozen] = ['frozen'].map(await memberOf());
    const file = writeDocument(lab.stage, lab.workshop, lab.cluster, { generation: 2, kubelet: { maxPods: 77 } });
    await lab.ask('pool', 'set', POOL, '--user-data', file);
    expect((await lab.claim('--no-refill')).claims).toEqual([{ instance: frozen, from: 'frozen' }]);
    // Read at once: the claim has applied it before it returned.
    const applied = JSON.parse(await lab.inside(frozen!, 'headstart', 'node', 'status', '--json'));
    expect(applied).toMatchObject({ active: { generation: 2 } });
    await lab.expectInService([frozen!]);
    await lab.cluster.awaitNode(frozen!, '77 pods', ({ status }) => status?.allocatable?.pods === '77');
  });
});

/** Tier → the name of its only member. */
async function memberOf(): Promise<(tier: string) => string | undefined> {
  const { members } = await lab.standby();
  return (tier) => members.find((member) => member.tier === tier)?.instance;
}

async function certificateEnds(): Promise<Map<string, number>> {
  const { members } = await lab.standby();
  return new Map(members.map(({ instance }) => [instance, readParked(lab.folderOf(instance))?.certificateEndMs ?? 0]));
}

/** Starts the controller manager again, with one more argument. `cluster up` takes it back. */
async function signForMinutes(minutes: number): Promise<void> {
  const name = 'kube-controller-manager';
  const argvOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const pid = processesIn(lab.home).find((one) => argvOf(one)[0]?.endsWith(`/${name}`));
  if (pid === undefined) throw new Error(`${name} does not run`);
  const [program = '', ...args] = argvOf(pid);
  process.kill(pid, 'SIGKILL');
  await until('the end of the controller manager', async () => !processesIn(lab.home).includes(pid));
  const cwd = join(lab.home, 'clusters', CLUSTER);
  const options = { cwd, detached: true, stdio: 'ignore' } as const;
  spawn(program, [...args, `--cluster-signing-duration=${minutes}m`], options).unref();
  await until('the controller manager', async () => {
    const view = JSON.parse(await lab.ask('cluster', 'status', '--name', CLUSTER, '--json').catch(() => '{}'));
    return view.isHealthy === true;
  });
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + SHORT_MINUTES * 60_000;
  while (!(await isSo())) {
    if (Date.now() > endMs) throw new Error(`not in time: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}
