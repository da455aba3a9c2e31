import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import type { Node } from '../../cluster/cluster.ts';
import { filesOf, readRecord } from '../../cluster/local/cluster-files.ts';
import { programsFolder } from '../../cluster/local/programs.ts';
import { KUBE_SERVERS } from '../../cluster/local/server-flags.ts';
import { type FakePlane, fakePlane } from '../../cluster/local/testing.ts';
import { writePoolRecord } from '../../vms/qemu/home/instance-records.ts';
import type { OpenPlane } from '../compose/open-plane.ts';
import { runVerb, type TestWorld } from '../testing.ts';
import { clusterDown } from './down.ts';
import { clusterStatus } from './status.ts';
import { clusterToken } from './token.ts';
import { clusterUp } from './up.ts';

let home: string;
let world: FakePlane;
let nodes: Node[];
let hasGo: boolean;
let given: string;
let tokens: number;
const TOKEN = 'abcdef.0123456789abcdef';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-cluster-'));
  world = fakePlane();
  nodes = [];
  hasGo = true;
  tokens = 0;
  const cached = programsFolder(join(home, 'cache'), 'v1.35.8');
  given = join(home, 'given');
  for (const folder of [cached, given]) {
    mkdirSync(folder, { recursive: true });
    for (const name of [...KUBE_SERVERS, 'kubectl']) writeFileSync(join(folder, name), '', { mode: 0o755 });
  }
});
afterEach(() => rmSync(home, { recursive: true }));

const open: OpenPlane = () => ({
  plane: world,
  programs: {
    cache: join(home, 'cache'),
    env: {},
    freeBytes: async () => 2 ** 40,
    run: async (argv) => {
      const isVersion = argv.includes('--version');
      const stdout = Buffer.from(isVersion ? 'Kubernetes v1.34.2\n' : '');
      return { outcome: isVersion || hasGo ? 'exited' : 'missing', code: isVersion ? 0 : 1, stdout, stderr: '' };
    },
  },
  listNodes: async () => nodes,
  createToken: async (_, ttlMs) => {
    tokens++;
    return { id: 'abcdef', token: new Secret(TOKEN), expiresMs: world.clock.nowMs() + ttlMs };
  },
});
const VERBS = { up: clusterUp, down: clusterDown, status: clusterStatus, token: clusterToken };
const ask = async (verb: keyof typeof VERBS, argv: string[] = [], more: TestWorld = {}) => {
  const ran = await runVerb(VERBS[verb](open), argv, {
    env: { HEADSTART_HOME: home },
    nowUs: world.clock.nowMs() * 1000,
    ...more,
  });
  expect(ran.stderr).not.toContain('bug:');
  expect(ran.stdout + ran.stderr).not.toMatch(/PRIVATE KEY|client-key-data/);
  return ran;
};
const last = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, unknown>;

describe('cluster up', () => {
  it('tells what it does, what there is then, and what to type next', async () => {
    const ran = await ask('up');
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('start kube-apiserver\n');
    expect(ran.stdout).toMatch(/^local\n {2}kubernetes {2}v1\.35\.8\n {2}server {6}https:\/\/127\.0\.0\.1:\d+\n/);
    expect(ran.stdout).toMatch(/^kube-scheduler +yes +\d+ /m);
    expect(ran.stderr).toContain(`next:  export KUBECONFIG=${filesOf({ home, name: 'local' }).kubeconfig}`);
    const again = await ask('up');
    expect(again.stderr).toContain('it was up already; nothing was changed');
    expect(again.stdout).toBe(ran.stdout);
  });

  it('tells scripts line by line, the cluster last', async () => {
    const { stdout } = await ask('up', ['--json', '--name', 'lab']);
    const kinds = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).kind);
    expect(new Set(kinds.slice(0, -1))).toEqual(new Set(['ClusterEvent']));
    expect(last(stdout)).toMatchObject({ kind: 'Cluster', name: 'lab', isHealthy: true, nodes: [] });
  });

  it('says what it would do, and does nothing', async () => {
    const { stdout } = await ask('up', ['--dry-run']);
    expect(stdout).toContain('would start etcd\n');
    expect(existsSync(join(home, 'clusters'))).toBe(false);
    await ask('up');
    expect((await ask('up', ['--dry-run'])).stdout).toBe('nothing to do\n');
    expect(JSON.parse((await ask('up', ['--dry-run', '--json'])).stdout)).toMatchObject({
      kind: 'ClusterPlan',
      changes: [],
    });
  });

  it('names what is to be built, and what to do where there is no Go', async () => {
    rmSync(join(home, 'cache'), { recursive: true });
    expect((await ask('up', ['--dry-run'])).stdout).toContain('would build kube-apiserver v1.35.8 with Go');
    hasGo = false;
    const ran = await ask('up');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/install Go 1\.26 or newer, or give a folder with the programs: --programs DIR/);
    expect(world.told).toEqual([]);
  });

  it('runs the programs it is given, then and later', async () => {
    expect((await ask('up', ['--programs', given])).code).toBe(0);
    expect(readRecord({ home, name: 'local' })).toMatchObject({ kubernetes: 'v1.34.2', programs: given });
    await ask('down');
    await ask('up');
    for (const server of KUBE_SERVERS) {
      const { argv } = world.running.get(`${filesOf({ home, name: 'local' }).folder} ${server}`)!;
      expect(argv[0]).toContain(given);
    }
  });

  it.each([
    [['--kubernetes', '1.37.0'], 'cluster/other-version'],
    [['--kubernetes', '1.35.7'], 'cluster/other-version'],
    [['--kubernetes', '1.36.0'], 'cluster/no-programs'],
    [['--programs', '/nowhere'], 'cluster/no-programs'],
    [['--kubernetes', 'latest'], 'cluster/bad-version'],
    [['--name', '../x'], 'cluster/bad-name'],
  ])('refuses %j and touches nothing', async (argv, code) => {
    await ask('up');
    const before = readFileSync(filesOf({ home, name: 'local' }).record, 'utf8');
    const ran = await ask('up', argv);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`code:  ${code}`);
    expect(readFileSync(filesOf({ home, name: 'local' }).record, 'utf8')).toBe(before);
  });

  it('refuses programs of another version than was asked for', async () => {
    const ran = await ask('up', ['--programs', given, '--kubernetes', '1.35.8']);
    expect(ran.stderr).toContain('are of Kubernetes v1.34.2, not v1.35.8');
    expect(ran.code).toBe(2);
  });

  it('interrupted, leaves nothing running and says how to go on', async () => {
    const stop = new AbortController();
    world.before = (effect) => effect === 'start kube-scheduler' && stop.abort(new Error('SIGINT'));
    const ran = await ask('up', [], { signal: stop.signal });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('code:  cluster/interrupted');
    expect(world.running.size).toBe(0);
  });
});

describe('cluster status', () => {
  it('answers no when something does not run, and names what to type', async () => {
    await ask('up');
    nodes = [
      {
        name: 'n1',
        isReady: false,
        isUnschedulable: true,
        troubles: ['DiskPressure'],
        kubeletVersion: 'v1.35.8',
      } as unknown as Node,
    ];
    const well = await ask('status');
    expect(well.code).toBe(0);
    expect(well.stdout).toMatch(/^n1 +no +v1\.35\.8 +cordoned, DiskPressure$/m);
    world.running.delete(`${filesOf({ home, name: 'local' }).folder} etcd`);
    const broken = await ask('status');
    expect(broken.code).toBe(3);
    expect(broken.stdout).toMatch(/^etcd +no: does not run/m);
    expect(broken.stderr).toBe('next:  headstart cluster up --name local\n');
    expect(JSON.parse((await ask('status', ['--json'])).stdout)).toMatchObject({ kind: 'Cluster', isHealthy: false });
  });

  it('names what was left behind by somebody who removed a folder, and so does up', async () => {
    world.orphans = [{ server: 'etcd', pid: 4711, folder: join(home, 'clusters/gone') }];
    const nowhere = await ask('status');
    expect(nowhere.code).toBe(1);
    expect(nowhere.stderr).toContain(
      `etcd (process 4711) still runs; its folder ${join(home, 'clusters/gone')} is gone`,
    );
    expect(nowhere.stderr).toContain('next:  kill 4711');
    for (const verb of ['up', 'status'] as const)
      expect((await ask(verb)).stdout).toMatch(/left behind\netcd \(process 4711\) .*\nend them: kill 4711\n$/);
    expect(JSON.parse((await ask('status', ['--json'])).stdout)).toMatchObject({ orphans: [{ pid: 4711 }] });
  });

  it('names the clusters there are when it is asked about another', async () => {
    await ask('up', ['--name', 'lab']);
    const ran = await ask('status');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('there is no cluster local; there is lab');
  });
});

describe('cluster down', () => {
  it('stops, keeps what is in it, and is content when there is nothing to stop', async () => {
    await ask('up');
    expect((await ask('down', ['--dry-run'])).stdout).toContain('would stop etcd\n');
    expect(world.running.size).toBe(5);
    const { folder } = filesOf({ home, name: 'local' });
    expect((await ask('down')).stdout).toBe(`cluster local is stopped; its data is in ${folder}\n`);
    expect((await ask('down', ['--dry-run'])).stdout).toBe('nothing to do\n');
    expect(last((await ask('down', ['--json'])).stdout)).toMatchObject({
      kind: 'ClusterDown',
      stopped: [],
      isDeleted: false,
    });
  });

  it('deletes no cluster that a pool belongs to', async () => {
    await ask('up');
    mkdirSync(join(home, 'pools', 'web', 'instances'), { recursive: true });
    const spec = {
      name: 'web',
      image: { kind: 'version' as const, id: 'galleries/g/d/1.0.0' },
      extensions: [],
      size: { cpus: 1, memoryMb: 512, diskGb: 4 },
      services: [],
      tags: {},
      cluster: 'local',
    };
    const traits = {
      osState: 'generalized' as const,
      generation: 'V2' as const,
      architecture: 'x64' as const,
      securityType: 'Standard' as const,
    };
    writePoolRecord(home, { revision: 0, modelRevision: 1, nextInstance: 1, traits, spec });
    const refused = await ask('down', ['--delete', '--yes']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('web is a pool of cluster local');
    expect(world.running.size).toBe(5);
    expect((await ask('down')).code).toBe(0);
  });

  it('asks before it deletes, and deletes with --yes', async () => {
    await ask('up');
    const refused = await ask('down', ['--delete']);
    expect(refused.code).toBe(2);
    expect(world.running.size).toBe(5);
    expect((await ask('down', ['--delete', '--yes'])).stdout).toBe('cluster local is gone\n');
    expect(existsSync(filesOf({ home, name: 'local' }).folder)).toBe(false);
  });

  it('has nothing to do where there is no cluster, however often it is asked', async () => {
    const stopped = `nothing to stop: there is no cluster local in ${home}\n`;
    expect(await ask('down')).toMatchObject({ code: 0, stdout: stopped });
    expect(await ask('down', ['--delete', '--yes'])).toMatchObject({
      code: 0,
      stdout: stopped.replace('stop', 'delete'),
    });
    expect(await ask('down', ['--dry-run'])).toMatchObject({ code: 0, stdout: 'nothing to do\n' });
    expect(JSON.parse((await ask('down', ['--json'])).stdout)).toMatchObject({ kind: 'ClusterDown', stopped: [] });
    await ask('up', ['--name', 'lab']);
    expect((await ask('down')).stdout).toContain('; there is lab\n');
  });

  it('names programs that still run where the folder of the cluster was removed by hand', async () => {
    world.orphans = [{ server: 'etcd', pid: 4711, folder: filesOf({ home, name: 'local' }).folder }];
    expect(await ask('down')).toMatchObject({ code: 1, stderr: expect.stringContaining('next:  kill 4711') });
    expect((await ask('down', ['--name', 'other'])).code).toBe(0);
  });
});

describe('cluster token', () => {
  it('gives a token that ends, or the closed file that a kubelet in a guest starts with', async () => {
    await ask('up');
    expect((await ask('token')).stdout).toBe(`${TOKEN}\n`);
    expect(JSON.parse((await ask('token', ['--json', '--ttl', '10min'])).stdout)).toMatchObject({
      kind: 'ClusterToken',
      id: 'abcdef',
      token: TOKEN,
      expiresMs: world.clock.nowMs() + 600_000,
    });
    const file = join(home, 'bootstrap');
    const ran = await ask('token', ['-o', file]);
    expect(ran.stdout).toBe(`${file}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      clusters: [{ cluster: { server: 'https://168.0.0.10:6443' } }],
      users: [{ user: { token: TOKEN } }],
    });
  });

  it('makes none when asked what it would do, for no cluster, or where the file cannot be', async () => {
    expect((await ask('token')).stderr).toContain('code:  cluster/none');
    await ask('up');
    expect((await ask('token', ['--dry-run', '-o', 'x'])).stdout).toMatch(
      /^would make a token .* for 1h\nwould write \//,
    );
    expect(tokens).toBe(0);
    expect((await ask('token', ['--ttl', 'soon'])).code).toBe(2);
    const ran = await ask('token', ['-o', join(home, 'no', 'folder')]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('code:  cluster/unwritable');
    expect(ran.stderr).not.toContain(TOKEN);
    expect(tokens).toBe(0);
  });
});
