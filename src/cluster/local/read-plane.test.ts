import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransientError } from '../../base/errors.ts';
import { type ClusterPlace, clusterFiles, readClusterRecord } from './cluster-files.ts';
import { upPlane } from './control-plane.ts';
import { readPlane, readPlaneState } from './read-plane.ts';
import { SERVERS } from './server-flags.ts';
import { type FakePlane, fakePlane } from './testing.ts';

const options = { kubernetes: 'v1.35.8', programs: '/opt/kube' };
let place: ClusterPlace;
let world: FakePlane;
beforeEach(() => {
  place = { home: mkdtempSync(join(tmpdir(), 'headstart-look-')), name: 'lab' };
  world = fakePlane();
});
afterEach(() => rmSync(place.home, { recursive: true }));

const keyOf = (server: string) => `${clusterFiles(place).folder} ${server}`;

describe('readPlane', () => {
  it('returns undefined if there is no cluster', async () => {
    expect(await readPlane(place, world)).toBeUndefined();
  });

  it('is healthy if every server is, and names a server that does not run', async () => {
    await upPlane(place, options, world, {});
    expect(await readPlane(place, world)).toMatchObject({ isHealthy: true, kubernetes: 'v1.35.8' });
    world.running.delete(keyOf('kube-scheduler'));
    const view = await readPlane(place, world);
    expect(view?.isHealthy).toBe(false);
    expect(view?.programs.filter(({ isRunning }) => !isRunning)).toMatchObject([
      { name: 'kube-scheduler', why: 'does not run' },
    ]);
  });
});

describe('readPlaneState', () => {
  it('has no record, ports or settings without a cluster', async () => {
    const seen = await readPlaneState(place, options, world);
    expect(seen.record).toBeUndefined();
    expect([...seen.running, ...seen.takenPorts, ...seen.settings]).toEqual([]);
  });

  it('has the ports of stopped servers that another program took', async () => {
    await upPlane(place, options, world, {});
    const { ports } = readClusterRecord(place)!;
    world.running.delete(keyOf('etcd'));
    // The scheduler runs and uses its own port.
    world.takenPorts = new Set([ports['etcd-peer'], ports['kube-scheduler']]);
    expect([...(await readPlaneState(place, options, world)).takenPorts]).toEqual(['etcd-peer']);
  });

  it('waits a moment for a port that a killed server still holds', async () => {
    await upPlane(place, options, world, {});
    const { ports } = readClusterRecord(place)!;
    world.running.delete(keyOf('etcd'));
    let looks = 0;
    world.isPortFree = async (port) => port !== ports.etcd || ++looks > 3;
    expect((await readPlaneState(place, options, world)).takenPorts.size).toBe(0);
    expect(looks).toBe(4);
  });

  it('names servers that were started with other arguments', async () => {
    await upPlane(place, options, world, {});
    const running = world.running.get(keyOf('etcd'))!;
    world.running.set(keyOf('etcd'), { ...running, argv: [...running.argv, '--more'] });
    expect([...(await readPlaneState(place, options, world)).withOtherArguments]).toEqual(['etcd']);
    // A program may run under another name: a wrapper script.
    world.running.set(keyOf('etcd'), { ...running, argv: ['/bin/wrapper', ...running.argv.slice(1)] });
    expect([...(await readPlaneState(place, options, world)).withOtherArguments]).toEqual([]);
  });

  it('has no bindings while the API server is not ready', async () => {
    await upPlane(place, options, world, {});
    world.bindingsToMake = async () => {
      throw new TransientError('the connection was closed', { code: 'cluster/unreachable' });
    };
    expect((await readPlaneState(place, options, world)).bindings).toBeUndefined();
    world.bindingsToMake = async () => {
      throw new Error('a bug');
    };
    await expect(readPlaneState(place, options, world)).rejects.toThrow('a bug');
  });

  it('names the owner of the wanted port', async () => {
    await upPlane({ ...place, name: 'other' }, options, world, {});
    const apiPort = readClusterRecord({ ...place, name: 'other' })!.ports['kube-apiserver'];
    expect((await readPlaneState(place, { ...options, apiPort }, world)).wantedPort).toMatchObject({ owner: 'other' });
  });

  it('has every running server', async () => {
    await upPlane(place, options, world, {});
    expect((await readPlaneState(place, options, world)).running).toEqual(new Set(SERVERS));
  });
});
