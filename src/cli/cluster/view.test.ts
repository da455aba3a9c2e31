import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TransientError } from '../../base/errors.ts';
import type { Node } from '../../cluster/cluster.ts';
import { clusterFiles } from '../../cluster/local/cluster-files.ts';
import { useCluster } from './testing.ts';

const world = useCluster();
const { call } = world;

describe('cluster status', () => {
  it('exits 3 if a component does not run, and names the next command', async () => {
    await call('up');
    world.nodes = [
      {
        name: 'n1',
        isReady: false,
        isUnschedulable: true,
        troubles: ['DiskPressure'],
        kubeletVersion: 'v1.35.8',
      } as unknown as Node,
    ];
    const well = await call('status');
    expect(well.code).toBe(0);
    expect(well.stdout).toMatch(/^n1 +no +v1\.35\.8 +cordoned, DiskPressure$/m);
    world.plane.running.delete(`${clusterFiles({ home: world.home, name: 'local' }).folder} etcd`);
    const broken = await call('status');
    expect(broken.code).toBe(3);
    expect(broken.stdout).toMatch(/^etcd +no: does not run/m);
    expect(broken.stderr).toBe('next:  headstart cluster up --name local\n');
    expect(JSON.parse((await call('status', ['--json'])).stdout)).toMatchObject({ kind: 'Cluster', isHealthy: false });
  });

  it('prints the status without nodes if the API server ends after its health check', async () => {
    await call('up');
    world.nodes = new TransientError('could not list nodes: the connection was refused', {
      code: 'cluster/unreachable',
    });
    expect((await call('status')).stdout).toContain('nodes: unknown, the API server does not answer');
    let looks = 0;
    const { find } = world.plane.processes;
    world.plane.processes.find = (folder, server) =>
      server === 'kube-apiserver' && ++looks > 1 ? undefined : find(folder, server);
    const ended = await call('status');
    expect(ended.code).toBe(3);
    expect(ended.stdout).toMatch(/^kube-apiserver +no: does not run/m);
  });

  it('names programs of a deleted cluster folder, and so does up', async () => {
    world.plane.orphans = [{ server: 'etcd', pid: 4711, folder: join(world.home, 'clusters/gone') }];
    const nowhere = await call('status');
    expect(nowhere.code).toBe(1);
    expect(nowhere.stderr).toContain(
      `etcd (process 4711) still runs; its folder ${join(world.home, 'clusters/gone')} is gone`,
    );
    expect(nowhere.stderr).toContain('next:  kill 4711');
    for (const verb of ['up', 'status'] as const)
      expect((await call(verb)).stdout).toMatch(/left behind\netcd \(process 4711\) .*\nto end them: kill 4711\n$/);
    expect(JSON.parse((await call('status', ['--json'])).stdout)).toMatchObject({ orphans: [{ pid: 4711 }] });
  });

  it('names the existing clusters for an unknown one', async () => {
    await call('up', ['--name', 'lab']);
    const ran = await call('status');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('there is no cluster local; known: lab');
  });
});
