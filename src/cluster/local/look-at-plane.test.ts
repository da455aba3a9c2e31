import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterPlace, ensureFolder, filesOf, readRecord, writeRecord } from './cluster-files.ts';
import { lookAtPlane, lookForUp } from './look-at-plane.ts';
import { upPlane } from './standing-plane.ts';
import { type FakePlane, fakePlane } from './testing.ts';

const options = { kubernetes: 'v1.35.8', programs: '/opt/kube' };

let place: ClusterPlace;
let world: FakePlane;
beforeEach(() => {
  place = { home: mkdtempSync(join(tmpdir(), 'headstart-look-')), name: 'lab' };
  world = fakePlane();
});
afterEach(() => rmSync(place.home, { recursive: true }));

describe('what is seen of a cluster', () => {
  it('is nothing where there is none', async () => {
    expect(await lookAtPlane(place, world)).toBeUndefined();
  });

  it('names what does not run, and then it is not healthy', async () => {
    await upPlane(place, options, world, {});
    world.running.delete(`${filesOf(place).folder} etcd`);
    const view = await lookAtPlane(place, world);
    expect(view?.isHealthy).toBe(false);
    expect(view?.programs.find(({ name }) => name === 'etcd')).toMatchObject({
      isRunning: false,
      why: 'does not run',
      address: `127.0.0.1:${readRecord(place)!.ports.etcd}`,
    });
  });
});

describe('what `up` decides by', () => {
  it('has nothing remembered for a new cluster', async () => {
    const seen = await lookForUp(place, options, world);
    expect(seen).toMatchObject({ record: undefined, settings: [], bindings: undefined });
    expect([seen.running.size, seen.takenPorts.size]).toEqual([0, 0]);
  });

  it('has no port that is taken, and no settings that differ, for a cluster that is up', async () => {
    await upPlane(place, options, world, {});
    const seen = await lookForUp(place, options, world);
    expect(seen.running.size).toBe(5);
    expect(seen.toldOtherwise.size).toBe(0);
    expect(seen.settings).toEqual([]);
  });

  it('tells a program that runs with other arguments than it would get now', async () => {
    await upPlane(place, options, world, {});
    const key = `${filesOf(place).folder} kube-scheduler`;
    world.running.set(key, { ...world.running.get(key)!, argv: ['kube-scheduler', '--other'] });
    expect([...(await lookForUp(place, options, world)).toldOtherwise]).toEqual(['kube-scheduler']);
  });

  it('waits some seconds for a port of a program that has just ended', async () => {
    await upPlane(place, options, world, {});
    const { ports } = readRecord(place)!;
    world.running.delete(`${filesOf(place).folder} kube-scheduler`);
    let looks = 0;
    world.isPortFree = async (port) => port !== ports['kube-scheduler'] || ++looks > 3;
    expect((await lookForUp(place, options, world)).takenPorts.size).toBe(0);
    world.isPortFree = async (port) => port !== ports['kube-scheduler'];
    expect([...(await lookForUp(place, options, world)).takenPorts]).toEqual(['kube-scheduler']);
  });

  it('names the cluster that has the port that was asked for', async () => {
    await upPlane(place, options, world, {});
    const { ports } = readRecord(place)!;
    const other = { ...place, name: 'other' };
    ensureFolder(other);
    writeRecord(other, { ...readRecord(place)!, ports: { ...ports, 'kube-apiserver': 25_000 } });
    const seen = await lookForUp(place, { ...options, apiPort: 25_000 }, world);
    expect(seen.wantedPort).toEqual({ port: 25_000, isFree: true, owner: 'other' });
  });
});
