// e2e/prototype-cli.test.ts: do the verbs work as typed: child processes, a service principal, and the shipped rights in Azure and Kubernetes?
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeReport, type Referee, seatReferee } from '../sims/azure/referee/referee.ts';
import type { RoleDefinition } from '../sims/azure/service/roles.ts';
import { REALISTIC } from '../sims/azure/service/timing.ts';
import { type AzureSim, startAzureSim } from '../sims/azure/start.ts';
import { instancesOf } from '../sims/azure/world.ts';
import { type Clock, systemClock, versionOfDay } from '../src/base/clock.ts';
import { availableShells, has, makeStubs, remove } from '../src/clone-check/testing.ts';
import { growPool } from '../src/vms/azure/testing.ts';
import { type KubeLab, openLab, SHIPPED, until } from './labs/cluster-lab.ts';
import { expireLease } from './labs/expire-lease.ts';
import {
  CANARIES,
  CUSTOM_DATA,
  type JoinedPool,
  joinPool,
  leaks,
  type Machine,
  makeMachine,
  poolScenario,
  publicMarks,
} from './labs/prototype-lab.ts';

const HEADSTART = fileURLToPath(new URL('../headstart', import.meta.url));
const ROLE = JSON.parse(readFileSync(new URL('../docs/azure-role.json', import.meta.url), 'utf8')) as RoleDefinition;
/** The first run builds Kubernetes. */
const BUILD_MS = 2 * 3_600_000;
const SPEED = 1000;
/** Long enough to catch a run in the middle of it. */
const SNAPSHOT_MS = 10_000;
/** Long enough to interrupt it. */
const START_MS = 4_000;
const NOT_LOOKED_UP = 'not looked up; override with --prices FILE';
const CLIENT = { clientId: '00000000-0000-0000-0000-0000000000c1', clientSecret: CANARIES.clientSecret };

let kube: KubeLab;
let referee: Referee;
let folder: string;
const children = new Set<ChildProcess>();
const machines = new Map<string, Machine>();
const stubs = makeStubs();
const shell = availableShells(stubs).shells[0]!;
/** Everything that any child printed. */
let printed = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-verbs-'));
  referee = await seatReferee();
  kube = await openLab();
  kube.kubelets.dials.runScript = (name, script) => machines.get(name)!.runScript(script);
}, BUILD_MS);

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await kube?.close();
  remove(folder, stubs, ...[...machines.values()].map(({ root }) => root));
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface Running {
  child: ChildProcess;
  /** Resolves when the run prints that it begins the step. */
  reaches(step: string): Promise<void>;
  ended: Promise<Ended>;
}

interface Site {
  sim: AzureSim<Clock>;
  joined: JoinedPool;
  namespace: string;
  donor: string;
  power(): string | undefined;
  start(...args: string[]): Running;
  /** Its standard output is that file. */
  startInto(file: string, ...args: string[]): Running;
  headstart(...args: string[]): Promise<Ended>;
  /** The last line of what it printed. */
  json(...args: string[]): Promise<{ code: number | null; body: Record<string, unknown> }>;
  grow(): ReturnType<typeof growPool>;
  close(): Promise<void>;
}

async function openSite(name: string, mode: 'Uniform' | 'Flexible', startMs = REALISTIC.startMs): Promise<Site> {
  const sim = await startAzureSim<Clock>({
    scenario: poolScenario(name, mode, `${name}-`),
    clock: systemClock,
    speed: SPEED,
    timing: { ...REALISTIC, startMs, snapshotMs: SNAPSHOT_MS * SPEED, versionMs: 1000, replicationLagMs: 1000 },
    referee,
    role: ROLE,
    servicePrincipal: CLIENT,
  });
  const ca = join(folder, `${name}.pem`);
  writeFileSync(ca, sim.caPem);
  const { namespace, kubeconfig } = await kube.account(SHIPPED);
  const joined = await joinPool(kube, sim, { readyAfterMs: 0, taintGoesAfterMs: 0 });
  const { subscriptionId, tenantId } = sim.inspect();
  for (const { computerName, vmId } of instancesOf(sim.inspect(), joined.pool)) {
    const node = computerName.toLowerCase();
    // Only the donor's disk still has the original custom data.
    machines.set(node, makeMachine(shell, node, vmId, node === joined.nodes[0] ? CUSTOM_DATA : undefined));
  }
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    KUBECONFIG: kubeconfig,
    NODE_EXTRA_CA_CERTS: ca,
    HEADSTART_HELPER_IMAGE: 'helper',
    AZURE_AUTHORITY_HOST: sim.url,
    AZURE_SUBSCRIPTION_ID: subscriptionId,
    AZURE_RESOURCE_GROUP: 'contract',
    AZURE_TENANT_ID: tenantId,
    AZURE_CLIENT_ID: CLIENT.clientId,
    AZURE_CLIENT_SECRET: CLIENT.clientSecret,
  };
  const keeping = keepTending(joined);
  const donor = joined.nodes[0]!;
  const complete = (args: string[]) => ['prototype', ...args, '--azure-endpoint', sim.url, '--namespace', namespace];
  const start: Site['start'] = (...args) => launch(complete(args), env);
  const headstart: Site['headstart'] = (...args) => start(...args).ended;
  const settings = {
    subscriptionId,
    resourceGroup: 'contract',
    endpoint: sim.url,
    authorityHost: sim.url,
    audience: sim.url,
  };
  const credential = { getToken: async () => ({ token: 'lab', expiresOnTimestamp: Date.now() + 3_600_000 }) };
  return {
    sim,
    joined,
    namespace,
    donor,
    power: () => instancesOf(sim.inspect(), joined.pool).find((one) => one.computerName.toLowerCase() === donor)?.power,
    start,
    startInto: (file, ...args) => {
      const fd = openSync(file, 'w');
      const running = launch(complete(args), env, fd);
      closeSync(fd);
      return running;
    },
    headstart,
    json: async (...args) => {
      const { code, stdout, stderr } = await headstart(...args, '--json');
      // One document over many lines, or one event a line with the result last.
      const text = stdout.startsWith('{\n') ? stdout : stdout.trimEnd().split('\n').at(-1)!;
      expect(text, stderr).not.toBe('');
      return { code, body: JSON.parse(text) as Record<string, unknown> };
    },
    grow: () => growPool(joined.pool, { sim, settings, deps: { clock: systemClock, caPem: sim.caPem, credential } }),
    close: async () => {
      await keeping.stop();
      await joined.leave();
      await sim.stop();
    },
  };
}

function keepTending({ tend }: JoinedPool): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const keeping = (async () => {
    while (!stopping.signal.aborted) {
      await tend();
      await systemClock.sleep(50, stopping.signal).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await keeping;
    },
  };
}

function launch(args: string[], env: NodeJS.ProcessEnv, stdout: 'pipe' | number = 'pipe'): Running {
  const child = spawn(HEADSTART, args, { env, stdio: ['ignore', stdout, 'pipe'] });
  children.add(child);
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      out[name] += text;
      printed += text;
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      children.delete(child);
      resolve({ code, ...out });
    });
  });
  return {
    child,
    ended,
    reaches: async (step) => {
      await until(async () => {
        if (child.exitCode !== null) throw new Error(`it ended before ${step}: ${out.stderr}`);
        return out.stdout.includes(`"event":"step","step":"${step}"`);
      }, 60_000);
    },
  };
}

const stepsOf = (stdout: string): string[] =>
  stdout
    .split('\n')
    .filter((line) => line.includes('"event":"step"'))
    .map((line) => (JSON.parse(line) as { step: string }).step);

describe('the verbs against a Uniform pool', () => {
  let site: Site;
  const today = versionOfDay(Date.now());
  const run = () => ['run', '--node', site.donor, '--ready-for', '0', '--json'];
  beforeAll(async () => {
    site = await openSite('shelf', 'Uniform');
  });
  afterAll(() => site?.close());

  it('shows candidates, plan and status before the first run', async () => {
    const ranked = await site.json('candidates', '--pool', 'shelf');
    expect(ranked).toMatchObject({ code: 0, body: { kind: 'PrototypeCandidates', pool: 'shelf' } });
    expect(ranked.body.candidates).toHaveLength(3);
    const planned = await site.json('plan', '--node', site.donor, '--ready-for', '0');
    expect(planned).toMatchObject({ code: 0, body: { kind: 'PrototypePlan', version: today, against: [] } });
    const told = await site.headstart('plan', '--node', site.donor, '--ready-for', '0');
    expect(told.stdout).toContain('drain the donor');
    expect(told.stdout).toContain('was not inspected (--inspect was not given)');
    const young = await site.headstart('plan', '--pool', 'shelf');
    expect(young).toMatchObject({ code: 1, stderr: expect.stringContaining('Ready for less than 1h') });
    const inspected = await site.json('plan', '--node', site.donor, '--ready-for', '0', '--inspect');
    expect(inspected).toMatchObject({
      code: 0,
      body: {
        node: site.donor,
        inspection: {
          isDone: true,
          verdict: {
            joining: { method: { kind: 'shared-certificate' } },
            wayBack: { kind: 'found' },
            findings: [],
            unpatched: [],
          },
        },
        against: [],
      },
    });
    expect(await site.json('status')).toMatchObject({
      code: 0,
      body: { kind: 'PrototypeStatus', pools: [{ pool: 'shelf', versions: [] }] },
    });
  });

  it('refuses to run without a saved model, and for an unknown node', async () => {
    const { code, stderr } = await site.headstart('run', '--node', site.joined.nodes[1]!, '--ready-for', '0');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('prototype/no-way-back') });
    const nobody = await site.headstart('run', '--node', 'nobody');
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no node nobody') });
  });

  it('refuses a second run and names the holder, survives SIGKILL, and resumes by restoring the donor first', async () => {
    const first = site.start(...run());
    await first.reaches('take-snapshot');
    expect(site.power()).toBe('stopped');
    const second = await site.headstart(...run());
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('prototype/locked') });
    expect(second.stderr).toContain(`prototype of ${site.donor}`);
    expect(first.child.exitCode).toBeNull();
    first.child.kill('SIGKILL');
    await first.ended;
    expect(site.power()).toBe('stopped');
    await expireLease(kube.plane.kubeconfig, site.namespace, 'shelf');

    const resumed = await site.headstart(...run());
    expect(resumed, resumed.stderr).toMatchObject({ code: 0 });
    const steps = stepsOf(resumed.stdout);
    expect(steps[0]).toBe('start-donor');
    const isHome = steps.indexOf('restore-node');
    expect(steps.slice(0, isHome).every((step) => /^(start|await-ready|restore)/.test(step))).toBe(true);
    expect(steps).toContain('switch-model');
    // The run uses the snapshot, complete or in progress.
    for (const step of ['discard-snapshot', 'drain', 'stop-donor']) expect(steps).not.toContain(step);
    expect(JSON.parse(resumed.stdout.trimEnd().split('\n').at(-1)!)).toMatchObject({
      kind: 'PrototypeRun',
      version: today,
    });
    expect(site.power()).toBe('running');
    expect(has(machines.get(site.donor)!.root, '/var/lib/headstart/clone-check/owner')).toBe(true);
    const { metadata, spec } = await kube.core.readNode({ name: site.donor });
    expect(metadata?.annotations ?? {}).toEqual({});
    expect(spec?.unschedulable).toBeUndefined();
    const born = await site.grow();
    expect(born.image).toMatchObject({ kind: 'version', id: expect.stringMatching(`/versions/${today}$`) });
    expect(born.extensions).toEqual(['health']);
    expect(born.customData ?? '').not.toContain('runcmd');
  });

  it('reports that there is nothing to do when repeated', async () => {
    const { code, stdout } = await site.headstart('run', '--node', site.donor, '--ready-for', '0');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing to do') });
    const chosen = await site.headstart('run', '--pool', 'shelf');
    expect(chosen).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing to do') });
    expect(chosen.stderr).toContain(`the donor is ${site.donor}: version ${today} was made from it`);
    expect(await site.headstart('recover', '--node', site.donor)).toMatchObject({
      code: 0,
      stdout: `${site.donor} is in service: nothing to do\n`,
    });
  });

  it('shows status, cost and prune', async () => {
    const { body } = await site.json('status', '--pool', 'shelf');
    expect(body).toMatchObject({
      pools: [{ model: `version ${today}`, hasBootstrap: false, versions: [{ name: today, donor: site.donor }] }],
    });
    const told = await site.headstart('status');
    expect(told.stdout).toContain(`shelf starts from version ${today}, without bootstrap`);
    expect(await site.json('cost', '--pool', 'shelf')).toMatchObject({
      code: 0,
      body: { kind: 'PrototypeCost', lines: [{ version: today, replicas: 3 }], prices: { status: NOT_LOOKED_UP } },
    });
    expect((await site.headstart('cost', '--pool', 'shelf')).stdout).toContain(NOT_LOOKED_UP);
    const prices = join(folder, 'prices.json');
    const table = { asOf: '2026-10-01', status: 'price list', currency: 'EUR', perGbMonth: { local: 1, zone: 2 } };
    writeFileSync(prices, JSON.stringify(table));
    expect((await site.json('cost', '--pool', 'shelf', '--prices', prices)).body).toMatchObject({ prices: table });
    expect(await site.json('prune', '--pool', 'shelf', '--dry-run')).toMatchObject({
      code: 0,
      body: { kind: 'PrototypePrune', deleted: [], isDryRun: true },
    });
  });

  it('rolls back to the original model, to the version, and to the version before', async () => {
    const none = await site.headstart('rollback', '--pool', 'shelf', '--dry-run');
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('prototype/no-such-version') });

    const dry = await site.json('rollback', '--pool', 'shelf', '--to', 'original', '--dry-run');
    expect(dry).toMatchObject({ code: 0, body: { kind: 'PrototypeRollback', isDryRun: true } });
    expect((await site.json('status')).body).toMatchObject({ pools: [{ model: `version ${today}` }] });

    expect(await site.json('rollback', '--pool', 'shelf', '--to', 'original')).toMatchObject({ code: 0 });
    const old = await site.grow();
    expect(old).toMatchObject({ image: { kind: 'marketplace' }, customData: CUSTOM_DATA });
    expect(old.extensions.toSorted()).toEqual(['bootstrap', 'health']);

    const bad = await site.headstart('rollback', '--pool', 'shelf', '--to', today);
    expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining('prototype/bad-version') });
    expect(await site.json('rollback', '--pool', 'shelf', '--to', today, '--clear-bad')).toMatchObject({ code: 0 });
    expect((await site.grow()).extensions).toEqual(['health']);

    // An old one of another run.
    site.sim.meddle(({ versions }) => {
      const [key, version] = Object.entries(versions)[0]!;
      const [id, name] = [version.id.replace(today, '2025.01.01'), '2025.01.01'];
      versions[key.replace(today, name)] = { ...structuredClone(version), id, name };
    });
    expect(await site.json('rollback', '--pool', 'shelf')).toMatchObject({
      code: 0,
      body: { to: 'version 2025.01.01' },
    });
    expect((await site.json('prune', '--pool', 'shelf', '--image-history', '1', '--dry-run')).body).toMatchObject({
      deleted: [],
    });
  });

  it('uninstalls completely: unused resources first, the rest when it is no longer in use', async () => {
    const uninstall = ['uninstall', '--pool', 'shelf', '--unseal'];
    const dry = await site.json(...uninstall, '--dry-run');
    expect(dry).toMatchObject({ code: 0, body: { kind: 'PrototypeUninstall', isDryRun: true } });
    expect(await site.headstart(...uninstall)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cli/not-confirmed'),
    });
    const part = await site.json(...uninstall, '--yes');
    expect(part).toMatchObject({
      code: 4,
      body: {
        kept: expect.arrayContaining([
          { what: `version ${today}`, because: expect.stringContaining('still run'), next: expect.any(String) },
        ]),
      },
    });
    expect(has(machines.get(site.donor)!.root, '/var/lib/headstart/clone-check/owner')).toBe(false);
    expect((await site.grow()).customData).toBe(CUSTOM_DATA);

    site.sim.meddle(({ instances }) => {
      for (const [key, { birth }] of Object.entries(instances)) if (birth.exactVersion === today) delete instances[key];
    });
    const rest = await site.json(...uninstall, '--yes');
    expect(rest).toMatchObject({ code: 0, body: { kept: [], sealed: [] } });
    const { galleries, snapshots, scaleSets } = site.sim.inspect();
    expect([galleries, snapshots]).toEqual([{}, {}]);
    expect(Object.values(scaleSets)[0]!.tags).toEqual({ team: 'payments' });
    expect((await kube.core.listNamespacedSecret({ namespace: site.namespace })).items).toEqual([]);
    expect(await site.headstart('uninstall', '--pool', 'shelf')).toMatchObject({
      code: 0,
      stdout: 'nothing that headstart added is left on shelf\n',
    });
  });

  it('has left no secret in tags, annotations and events', async () => {
    expect(leaks(await publicMarks(kube, site.sim), [kube.plane.token, 'eyJ'])).toEqual([]);
  });
});

describe('the verbs against a Flexible pool', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite('flat', 'Flexible', START_MS * SPEED);
  });
  afterAll(() => site?.close());

  it('restores a donor that a killed run left out of service, and changes nothing else', async () => {
    const first = site.start('run', '--node', site.donor, '--ready-for', '0', '--json');
    await first.reaches('take-snapshot');
    first.child.kill('SIGKILL');
    await first.ended;
    expect(site.power()).toBe('stopped');
    await expireLease(kube.plane.kubeconfig, site.namespace, 'flat');
    const { code, body } = await site.json('recover', '--node', site.donor);
    expect({ code, body }).toMatchObject({ code: 0, body: { kind: 'PrototypeRecover', node: site.donor } });
    expect(body.steps).toEqual(expect.arrayContaining(['start-donor', 'restore-protection', 'restore-node']));
    await expectHome();
  });

  it.each([
    ['Ctrl-C', 'SIGINT', 130],
    ['a terminal that is closed', 'SIGHUP', 129],
  ] as const)('restores the donor when it is interrupted by %s, and does not report a bug', async (_, signal, code) => {
    forgetCopies();
    const first = site.start('run', '--node', site.donor, '--ready-for', '0', '--json');
    await first.reaches('take-snapshot');
    first.child.kill(signal);
    const ended = await first.ended;
    expect(ended, ended.stderr).toMatchObject({ code, stderr: expect.stringContaining(`interrupted (${signal})`) });
    expect(ended.stderr).not.toContain('bug:');
    await expectHome();
  });

  it('ends at once on a second interrupt, reports the state of the donor, and allows a recovery right away', async () => {
    forgetCopies();
    const first = site.start('run', '--node', site.donor, '--ready-for', '0', '--json');
    await first.reaches('stop-donor');
    first.child.kill('SIGINT');
    await first.reaches('start-donor');
    // Two signals in quick succession count as one; by now the first is handled, and the donor's start leaves seconds for this.
    await setTimeout(200);
    first.child.kill('SIGINT');
    const ended = await first.ended;
    expect(ended, ended.stderr).toMatchObject({ code: 130, stderr: expect.stringContaining('prototype/donor-out') });
    expect(ended.stderr).toContain(`headstart prototype recover --node ${site.donor}`);
    expect(await site.json('recover', '--node', site.donor)).toMatchObject({ code: 0 });
    await expectHome();
  });

  it('finishes although its log cannot be written, and reports that at the end', async () => {
    const { code, stderr } = await site.startInto(
      '/dev/full',
      'run',
      '--node',
      site.donor,
      '--ready-for',
      '0',
      '--json',
    ).ended;
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('cli/stdout-unwritable') });
    await expectHome();
    expect((await site.json('status')).body).toMatchObject({ pools: [{ hasBootstrap: false }] });
  });

  /** A run that finds a snapshot of its donor continues from there. */
  const forgetCopies = () =>
    site.sim.meddle((world) => {
      world.snapshots = {};
      world.versions = {};
    });

  async function expectHome(): Promise<void> {
    expect(site.power()).toBe('running');
    const { metadata, spec } = await kube.core.readNode({ name: site.donor });
    expect(metadata?.annotations ?? {}).toEqual({});
    expect(spec?.unschedulable).toBeUndefined();
  }

  it('has left no secret in tags, annotations and events', async () => {
    expect(leaks(await publicMarks(kube, site.sim), [kube.plane.token, 'eyJ'])).toEqual([]);
  });
});

describe('secrets and the referee', () => {
  it('no secret was printed', () => {
    expect(leaks(Buffer.from(CUSTOM_DATA).toString('base64'))).not.toEqual([]); // proves that a leak would be found
    expect(printed.length).toBeGreaterThan(1000);
    expect(leaks(printed, [kube.plane.token, 'eyJ', 'abcdef.0123456789abcdef'])).toEqual([]);
  });

  it('rejected nothing', async () => {
    const report = await referee.report();
    console.log(describeReport(report));
    expect(report.rejected).toEqual([]);
  });
});
