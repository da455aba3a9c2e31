import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clusterFiles } from '../../cluster/local/cluster-files.ts';
import { writePoolRecord } from '../../vms/qemu/home/instance-records.ts';
import { last, useCluster } from './testing.ts';

const world = useCluster();
const { call } = world;

describe('cluster down', () => {
  it('stops the cluster, keeps its data, and succeeds if there is nothing to stop', async () => {
    await call('up');
    expect((await call('down', ['--dry-run'])).stdout).toContain('would stop etcd\n');
    expect(world.plane.running.size).toBe(5);
    const { folder } = clusterFiles({ home: world.home, name: 'local' });
    expect((await call('down')).stdout).toBe(`cluster local is stopped; its data is in ${folder}\n`);
    expect((await call('down', ['--dry-run'])).stdout).toBe('nothing to do\n');
    expect(last((await call('down', ['--json'])).stdout)).toMatchObject({
      kind: 'ClusterDown',
      stopped: [],
      isDeleted: false,
    });
  });

  it('refuses to delete a cluster that a pool belongs to', async () => {
    await call('up');
    mkdirSync(join(world.home, 'pools', 'web', 'instances'), { recursive: true });
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
    writePoolRecord(world.home, { revision: 0, modelRevision: 1, nextInstance: 1, traits, spec });
    const refused = await call('down', ['--delete', '--yes']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('web is a pool of cluster local');
    expect(world.plane.running.size).toBe(5);
    expect((await call('down')).code).toBe(0);
  });

  it('asks before it deletes, and deletes with --yes', async () => {
    await call('up');
    const refused = await call('down', ['--delete']);
    expect(refused.code).toBe(2);
    expect(world.plane.running.size).toBe(5);
    expect((await call('down', ['--delete', '--yes'])).stdout).toBe('cluster local is deleted\n');
    expect(existsSync(clusterFiles({ home: world.home, name: 'local' }).folder)).toBe(false);
  });

  it('has nothing to do without a cluster, and can be repeated', async () => {
    const stopped = `nothing to stop: there is no cluster local in ${world.home}\n`;
    expect(await call('down')).toMatchObject({ code: 0, stdout: stopped });
    expect(await call('down', ['--delete', '--yes'])).toMatchObject({
      code: 0,
      stdout: stopped.replace('stop', 'delete'),
    });
    expect(await call('down', ['--dry-run'])).toMatchObject({ code: 0, stdout: 'nothing to do\n' });
    expect(JSON.parse((await call('down', ['--json'])).stdout)).toMatchObject({ kind: 'ClusterDown', stopped: [] });
    await call('up', ['--name', 'lab']);
    expect((await call('down')).stdout).toContain('; existing clusters: lab\n');
  });

  it('names programs that still run after the folder of the cluster was deleted manually', async () => {
    world.plane.orphans = [
      { server: 'etcd', pid: 4711, folder: clusterFiles({ home: world.home, name: 'local' }).folder },
    ];
    expect(await call('down')).toMatchObject({ code: 1, stderr: expect.stringContaining('next:  kill 4711') });
    expect((await call('down', ['--name', 'other'])).code).toBe(0);
  });
});
