import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterPlace, ensureFolder, filesOf, readRecord } from './cluster-files.ts';
import { type FakePlane, fakePlane } from './testing.ts';
import { type PlaneCall, UpRun, Vanished } from './up-run.ts';

let place: ClusterPlace;
let world: FakePlane;
beforeEach(() => {
  place = { home: mkdtempSync(join(tmpdir(), 'headstart-up-run-')), name: 'lab' };
  ensureFolder(place);
  world = fakePlane();
});
afterEach(() => rmSync(place.home, { recursive: true }));

const PORTS = ['etcd', 'etcd-peer', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

/** With ports and certificates. */
async function begun(call: PlaneCall = {}, apiPort?: number): Promise<UpRun> {
  const run = new UpRun(place, { kubernetes: 'v1.35.8', programs: '/opt/kube', apiPort }, world, call);
  await run.take({ do: 'take-ports', names: [...PORTS] });
  await run.take({ do: 'certify', names: [] });
  return run;
}
const running = () => [...world.running.keys()].map((key) => key.split(' ').at(-1));

describe('the steps of one `up`', () => {
  it('remember the port that was asked for, and different ones for the others', async () => {
    await begun({}, 26_443);
    const { ports } = readRecord(place)!;
    expect(ports['kube-apiserver']).toBe(26_443);
    expect(new Set(Object.values(ports)).size).toBe(PORTS.length);
  });

  it('start a program only once the one it asks is healthy', async () => {
    const told: string[] = [];
    const run = await begun({ onWaiting: (what) => told.push(what) });
    world.neverHealthy.add('etcd');
    await run.take({ do: 'start', server: 'etcd' });
    await expect(run.take({ do: 'start', server: 'kube-apiserver' })).rejects.toMatchObject({
      code: 'cluster/plane-failed',
      message: expect.stringContaining('etcd was not healthy in 180 s'),
    });
    expect(told).toContain('etcd to be healthy');
    expect(running()).toEqual(['etcd']);
  });

  it('fail with what ended a program of ours', async () => {
    const run = await begun();
    world.endsAtOnce.set('etcd', 'ended with code 1');
    await run.take({ do: 'start', server: 'etcd' });
    await expect(run.awaitHealthy('etcd')).rejects.toMatchObject({
      message: expect.stringContaining('etcd ended with code 1'),
      next: `read ${filesOf(place).log('etcd')}, then run the same command again`,
    });
  });

  it('notice that a program that somebody else started has ended', async () => {
    await expect((await begun()).awaitHealthy('etcd')).rejects.toBeInstanceOf(Vanished);
  });

  it('stop at once when interrupted', async () => {
    const stop = new AbortController();
    const run = await begun({ signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(run.take({ do: 'start', server: 'etcd' })).rejects.toThrow('enough');
    expect(running()).toEqual([]);
  });
});

describe('taking the steps back', () => {
  it('stops what this run started, the last first', async () => {
    const run = await begun();
    await run.take({ do: 'start', server: 'etcd' });
    await run.take({ do: 'start', server: 'kube-apiserver' });
    world.told.length = 0;
    await run.stopOwn();
    expect(world.told).toEqual(['stop kube-apiserver', 'stop etcd']);
    expect(running()).toEqual([]);
  });

  it('goes back to the programs before, unless the API server of the new ones was healthy', async () => {
    const run = await begun();
    await run.take({ do: 'use-programs', kubernetes: 'v1.36.0', programs: '/new', before: 'v1.35.8' });
    await run.stopOwn();
    expect(readRecord(place)).toMatchObject({ kubernetes: 'v1.35.8', programs: '/opt/kube' });
    await run.take({ do: 'use-programs', kubernetes: 'v1.36.0', programs: '/new', before: 'v1.35.8' });
    for (const server of ['etcd', 'kube-apiserver'] as const) await run.take({ do: 'start', server });
    await run.awaitHealthy('kube-apiserver');
    await run.stopOwn();
    expect(readRecord(place)).toMatchObject({ kubernetes: 'v1.36.0', programs: '/new' });
  });
});
