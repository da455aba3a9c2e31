import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterPlace, clusterFiles, readClusterRecord } from './cluster-files.ts';
import { deletePlane, downPlane, upPlane } from './control-plane.ts';
import { readPlane } from './read-plane.ts';
import { KUBE_SERVERS, SERVERS } from './server-flags.ts';
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

describe('a control plane', () => {
  it('starts in order, each program after its dependency is healthy, and lets nodes join', async () => {
    await up();
    expect(world.actions).toEqual(SERVERS.map((server) => `start ${server}`));
    expect(world.joined).toBe(1);
    expect(readClusterRecord(place)).toMatchObject({ kubernetes: 'v1.35.8', guestAddress: '168.0.0.10' });
    const view = await readPlane(place, world);
    expect(view).toMatchObject({
      isHealthy: true,
      server: `https://127.0.0.1:${readClusterRecord(place)!.ports['kube-apiserver']}`,
    });
    expect(view!.programs.every(({ isRunning, pid }) => isRunning && pid !== undefined)).toBe(true);
  });

  it('is accessible only to this user, with all files of its folder', async () => {
    await up();
    const { folder, kubeconfig } = clusterFiles(place);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile()))
      expect(statSync(join(file.parentPath, file.name)).mode & 0o077, file.name).toBe(0);
    expect(readFileSync(kubeconfig, 'utf8')).toContain('"current-context":"headstart-lab"');
  });

  it('has no secret in its arguments and listens on loopback only', async () => {
    await up();
    for (const server of KUBE_SERVERS) {
      const flags = world.running.get(`${clusterFiles(place).folder} ${server}`)!.argv.join(' ');
      expect(flags).not.toMatch(/0\.0\.0\.0|PRIVATE|::/);
      for (const [url] of flags.matchAll(/https?:\/\/[^ ,]+/g))
        expect(url).toMatch(/127\.0\.0\.1|kubernetes\.default\.svc/);
      expect(flags).toMatch(/127\.0\.0\.1/);
    }
  });

  it('changes nothing when started twice', async () => {
    await up();
    const before = readFileSync(clusterFiles(place).record, 'utf8');
    expect(await up()).toEqual([]);
    expect(world.actions).toHaveLength(SERVERS.length);
    expect(world.joined).toBe(1);
    expect(readFileSync(clusterFiles(place).record, 'utf8')).toBe(before);
  });

  it.each(SERVERS)('restarts only %s when it was killed', async (server) => {
    await up();
    const ports = readClusterRecord(place)!.ports;
    world.running.delete(`${clusterFiles(place).folder} ${server}`);
    const view = await readPlane(place, world);
    expect(view!.isHealthy).toBe(false);
    expect(view!.programs.filter(({ isRunning }) => !isRunning).map(({ name }) => name)).toEqual([server]);
    world.actions.length = 0;
    await up();
    expect(world.actions).toEqual([`start ${server}`]);
    expect(readClusterRecord(place)!.ports).toEqual(ports);
  });

  it('restarts a server that was killed just before the observation', async () => {
    await up();
    const key = `${clusterFiles(place).folder} kube-apiserver`;
    const { checkServerHealth } = world;
    let isDying = true;
    world.checkServerHealth = async (probe) => {
      if (isDying) world.running.delete(key);
      isDying = false;
      return checkServerHealth(probe);
    };
    world.actions.length = 0;
    expect(await up()).toEqual([{ do: 'start', server: 'kube-apiserver' }]);
    expect(running()).toEqual(everything);
  });

  it('stops in reverse order, keeps its data, and starts with the same ports and certificates', async () => {
    await up();
    const { pki, kubeconfig } = clusterFiles(place);
    const before = [readFileSync(join(pki, 'ca.crt'), 'utf8'), readFileSync(kubeconfig, 'utf8')];
    world.actions.length = 0;
    expect(await downPlane(place, world, {})).toEqual(SERVERS.toReversed());
    expect(world.actions).toEqual(SERVERS.toReversed().map((server) => `stop ${server}`));
    expect(await downPlane(place, world, {})).toEqual([]);
    await up();
    expect([readFileSync(join(pki, 'ca.crt'), 'utf8'), readFileSync(kubeconfig, 'utf8')]).toEqual(before);
    expect(world.joined).toBe(1);
    expect(running()).toEqual(everything);
  });

  it('kills a server that ignores SIGTERM, after a while', async () => {
    await up();
    world.deaf.add('kube-apiserver');
    world.actions.length = 0;
    await downPlane(place, world, {});
    expect(world.actions).toContain('kill kube-apiserver');
    expect(running()).toEqual([]);
  });

  it('is deleted together with leftovers of a killed delete', async () => {
    await up();
    mkdirSync(join(home, 'clusters', '.deleting-lab'));
    await deletePlane(place, world, {});
    expect(running()).toEqual([]);
    expect(readdirSync(join(home, 'clusters'))).toEqual([]);
    expect(await readPlane(place, world)).toBeUndefined();
    expect(await deletePlane(place, world, {})).toEqual([]);
  });

  it('can be stopped and deleted with a broken record', async () => {
    await up();
    writeFileSync(clusterFiles(place).record, '{');
    await expect(up()).rejects.toThrow(code('cluster/bad-record'));
    await deletePlane(place, world, {});
    expect(running()).toEqual([]);
  });
});

describe('a control plane of another headstart version', () => {
  const argvOf = (server: string) => world.running.get(`${clusterFiles(place).folder} ${server}`)!.argv;

  it.each(SERVERS)('gets %s restarted if its arguments are outdated', async (server) => {
    await up();
    const key = `${clusterFiles(place).folder} ${server}`;
    world.running.set(key, { ...world.running.get(key)!, argv: [...argvOf(server), '--old'] });
    world.actions.length = 0;
    await up();
    expect(world.actions).toEqual([`stop ${server}`, `start ${server}`]);
    expect(argvOf(server)).not.toContain('--old');
    expect(await up()).toEqual([]);
  });

  it('gets outdated settings rewritten and their readers restarted, even after a crash in between', async () => {
    await up();
    const { egress, componentKubeconfig, kubeconfig } = clusterFiles(place);
    writeFileSync(egress, '{}');
    writeFileSync(componentKubeconfig('kube-scheduler'), '{}');
    rmSync(kubeconfig);
    world.actions.length = 0;
    world.before = (effect) => {
      if (effect === 'start kube-apiserver') throw new Error('killed');
    };
    await expect(up()).rejects.toThrow('killed');
    world.before = () => {};
    await up();
    expect(world.actions).toEqual([
      'stop kube-scheduler',
      'stop kube-apiserver',
      'start kube-apiserver',
      'start kube-scheduler',
    ]);
    expect(readFileSync(egress, 'utf8')).toContain('EgressSelectorConfiguration');
    expect(existsSync(kubeconfig)).toBe(true);
  });

  it('gets missing role bindings restored, running or not', async () => {
    await up();
    world.unbound = ['headstart:ask-kubelets'];
    expect(await up()).toEqual([{ do: 'let-nodes-join' }]);
    await downPlane(place, world, {});
    world.unbound = ['headstart:ask-kubelets'];
    expect((await up()).at(-1)).toEqual({ do: 'let-nodes-join' });
    expect(world.joined).toBe(3);
  });

  it('is upgraded to a newer version and keeps it', async () => {
    await up();
    const newer = { kubernetes: 'v1.35.9', programs: '/opt/newer' };
    world.actions.length = 0;
    await up(newer);
    expect(world.actions).toEqual([
      ...KUBE_SERVERS.toReversed().map((server) => `stop ${server}`),
      ...KUBE_SERVERS.map((server) => `start ${server}`),
    ]);
    expect(readClusterRecord(place)).toMatchObject(newer);
    await expect(up()).rejects.toThrow(code('cluster/other-version'));
    expect(running()).toEqual(everything);
  });

  it('is rolled back if the newer programs do not start', async () => {
    await up();
    const newer = { kubernetes: 'v1.36.0', programs: '/opt/newer' };
    world.endsAtOnce.set('kube-apiserver', 'ended with code 1');
    await expect(up(newer)).rejects.toThrow(code('cluster/plane-failed'));
    expect(readClusterRecord(place)).toMatchObject(options);
    world.endsAtOnce.clear();
    await up();
    expect(running()).toEqual(everything);
    world.endsAtOnce.set('kube-scheduler', 'ended with code 1');
    await expect(up(newer)).rejects.toThrow(code('cluster/plane-failed'));
    expect(readClusterRecord(place)).toMatchObject(newer); // its API server has run
  });

  it('is planned under the lock, not from an earlier observation', async () => {
    const [newer] = await Promise.allSettled([up({ kubernetes: 'v1.36.0' }), up()]);
    expect(newer.status).toBe('fulfilled'); // whether it ran first or second
    expect(readClusterRecord(place)!.kubernetes).toBe('v1.36.0');
    expect(running()).toEqual(everything);
  });
});
