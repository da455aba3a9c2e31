import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterPlace, clusterFiles, readClusterRecord } from './cluster-files.ts';
import { downPlane, upPlane } from './control-plane.ts';
import { SERVERS } from './server-flags.ts';
import { type FakePlane, fakePlane } from './testing.ts';
import type { PlaneCall } from './up-run.ts';

const options = { kubernetes: 'v1.35.8', programs: '/opt/kube' };

let home: string;
let place: ClusterPlace;
let world: FakePlane;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-standing-'));
  place = { home, name: 'lab' };
  world = fakePlane();
});
afterEach(() => rmSync(home, { recursive: true }));

const up = (more: Partial<typeof options & { apiPort: number }> = {}, call: PlaneCall = {}) =>
  upPlane(place, { ...options, ...more }, world, call);
const running = () => [...world.running.keys()].map((key) => key.split(' ').at(-1)).sort();
const everything = [...SERVERS].sort();
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('a control plane that does not start', () => {
  it('names the program that exited, with the end of its log, and stops the servers it started', async () => {
    world.endsAtOnce.set('kube-apiserver', 'ended with code 1');
    const { folder, log } = clusterFiles(place);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(log('kube-apiserver'), `${'early\n'.repeat(5000)}error: no such flag\n`);
    await expect(up()).rejects.toThrow(/^kube-apiserver ended with code 1\n(?:early\n){4}error: no such flag$/);
    expect(running()).toEqual([]);
    expect(world.actions.at(-1)).toBe('stop etcd');
    world.endsAtOnce.clear();
    await up();
    expect(running()).toEqual(everything);
  });

  it('gives up on a server that is never healthy, and does not stop servers that ran before', async () => {
    await up();
    world.running.delete(`${clusterFiles(place).folder} kube-scheduler`);
    world.neverHealthy.add('kube-scheduler');
    await expect(up()).rejects.toThrow(/kube-scheduler was not healthy after 180 s: it answers 500 \(etcd\)/);
    expect(running()).toEqual(everything.filter((server) => server !== 'kube-scheduler'));
  });

  it('names the next command if a program runs but does not answer', async () => {
    await up();
    world.neverHealthy.add('etcd');
    await expect(up()).rejects.toMatchObject({
      code: 'cluster/plane-failed',
      next: expect.stringContaining('cluster down'),
    });
    expect(running()).toEqual(everything);
  });

  it('is stopped when interrupted half-way', async () => {
    const stop = new AbortController();
    world.before = (effect) => effect === 'start kube-controller-manager' && stop.abort(new Error('interrupted'));
    await expect(up({}, { signal: stop.signal })).rejects.toThrow('interrupted');
    expect(running()).toEqual([]);
  });

  it.each([...SERVERS.map((server) => `start ${server}`), 'join'])(
    'killed before "%s" is taken up where it was left',
    async (point) => {
      const killed = fakePlane();
      killed.before = (effect) => {
        // kill -9: nothing is cleaned up, and servers keep running.
        if (effect === point) world.running = new Map(killed.running);
        if (effect === point) throw new Error('killed');
      };
      await expect(upPlane(place, options, killed, {})).rejects.toThrow('killed');
      await up();
      expect(running()).toEqual(everything);
      expect(world.actions).toEqual(
        SERVERS.filter((server) => !killed.actions.includes(`start ${server}`)).map((s) => `start ${s}`),
      );
      expect(world.joined).toBe(1);
      expect(await up()).toEqual([]);
    },
  );

  it('is refused without disk space, unless it needs none', async () => {
    world.free = 100 << 20;
    await expect(up()).rejects.toThrow(code('cluster/no-space'));
    expect(world.actions).toEqual([]);
    world.free = 2 ** 40;
    await up();
    world.free = 0;
    expect(await up()).toEqual([]);
  });

  it('refuses a folder that is a link or accessible to others', async () => {
    mkdirSync(join(home, 'clusters'));
    symlinkSync(home, join(home, 'clusters', 'lab'));
    await expect(up()).rejects.toThrow(code('cluster/unsafe-folder'));
    rmSync(join(home, 'clusters', 'lab'));
    mkdirSync(join(home, 'clusters', 'lab'), { mode: 0o755 });
    await expect(up()).rejects.toThrow(code('cluster/unsafe-folder'));
    chmodSync(join(home, 'clusters', 'lab'), 0o700);
    chmodSync(join(home, 'clusters'), 0o777);
    await expect(up()).rejects.toThrow(code('cluster/unsafe-folder'));
    expect(world.actions).toEqual([]);
  });

  it.each(['', '..', '../x', 'A', '-a', 'a-', 'a/b', 'a\0', 'x'.repeat(51)])('refuses the name %j', async (name) => {
    place = { home, name };
    await expect(async () => up()).rejects.toThrow(code('cluster/bad-name'));
  });
});

describe('the ports of a plane', () => {
  it('change if another program listens on them', async () => {
    await up();
    const before = readClusterRecord(place)!.ports;
    await downPlane(place, world, {});
    world.takenPorts.add(before.etcd);
    await up();
    const after = readClusterRecord(place)!.ports;
    expect(after.etcd).not.toBe(before.etcd);
    expect({ ...after, etcd: before.etcd }).toEqual(before);
    expect(new Set(Object.values(after)).size).toBe(5);
    expect(
      [...world.running.values()].some(({ argv }) => argv.includes(`--etcd-servers=https://127.0.0.1:${after.etcd}`)),
    ).toBe(true);
  });

  it('of the API server change only on request, and all clients are restarted', async () => {
    await up();
    await downPlane(place, world, {});
    const before = readClusterRecord(place)!.ports;
    world.takenPorts.add(before['kube-apiserver']);
    await expect(up()).rejects.toThrow(code('cluster/port-taken'));
    expect(running()).toEqual([]);
    await up({ apiPort: 16443 });
    expect(readFileSync(clusterFiles(place).kubeconfig, 'utf8')).toContain('https://127.0.0.1:16443');
    expect(readFileSync(clusterFiles(place).componentKubeconfig('kube-scheduler'), 'utf8')).toContain(':16443');
    world.takenPorts.add(16444);
    await expect(up({ apiPort: 16444 })).rejects.toThrow(code('cluster/port-taken'));
    expect(running()).toEqual(everything);
    expect(existsSync(clusterFiles(place).record)).toBe(true);
  });

  it('never belong to another cluster, running or not', async () => {
    await up();
    const { ports } = readClusterRecord(place)!;
    await downPlane(place, world, {});
    place = { home, name: 'other' };
    await up();
    const own = Object.values(readClusterRecord(place)!.ports);
    expect(own.filter((port) => Object.values(ports).includes(port))).toEqual([]);
    await expect(up({ apiPort: ports['kube-apiserver'] })).rejects.toThrow(/reserved by cluster lab/);
    await expect(up({ apiPort: ports['etcd-peer'] })).rejects.toThrow(/reserved by cluster lab/);
    writeFileSync(clusterFiles({ home, name: 'lab' }).record, '{');
    await up({ apiPort: ports['kube-apiserver'] });
  });

  it('fail with an error if none is free', async () => {
    world.isPortFree = async () => false;
    await expect(up()).rejects.toThrow(code('cluster/no-port'));
  });
});
