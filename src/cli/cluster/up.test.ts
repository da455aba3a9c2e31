import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clusterFiles, readClusterRecord } from '../../cluster/local/cluster-files.ts';
import { KUBE_SERVERS } from '../../cluster/local/server-flags.ts';
import { last, useCluster } from './testing.ts';

const world = useCluster();
const { call } = world;

describe('cluster up', () => {
  it('prints its steps, the cluster, and the next command', async () => {
    const ran = await call('up');
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('start kube-apiserver\n');
    expect(ran.stdout).toMatch(/^local\n {2}kubernetes {2}v1\.35\.8\n {2}server {6}https:\/\/127\.0\.0\.1:\d+\n/);
    expect(ran.stdout).toMatch(/^kube-scheduler +yes +\d+ /m);
    expect(ran.stderr).toContain(
      `next:  export KUBECONFIG=${clusterFiles({ home: world.home, name: 'local' }).kubeconfig}`,
    );
    const again = await call('up');
    expect(again.stderr).toContain('already up; nothing was changed');
    expect(again.stdout).toBe(ran.stdout);
  });

  it('prints JSON lines, the cluster last', async () => {
    const { stdout } = await call('up', ['--json', '--name', 'lab']);
    const kinds = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).kind);
    expect(new Set(kinds.slice(0, -1))).toEqual(new Set(['ClusterEvent']));
    expect(last(stdout)).toMatchObject({ kind: 'Cluster', name: 'lab', isHealthy: true, nodes: [] });
  });

  it('prints the plan with --dry-run, and does nothing', async () => {
    const { stdout } = await call('up', ['--dry-run']);
    expect(stdout).toContain('would start etcd\n');
    expect(existsSync(join(world.home, 'clusters'))).toBe(false);
    await call('up');
    expect((await call('up', ['--dry-run'])).stdout).toBe('nothing to do\n');
    expect(JSON.parse((await call('up', ['--dry-run', '--json'])).stdout)).toMatchObject({
      kind: 'ClusterPlan',
      changes: [],
    });
  });

  it('names the programs to build, and what to do without Go', async () => {
    rmSync(join(world.home, 'cache'), { recursive: true });
    expect((await call('up', ['--dry-run'])).stdout).toContain('would build kube-apiserver v1.35.8 with Go');
    world.hasGo = false;
    const ran = await call('up');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/install Go 1\.26 or newer, or give a folder with the programs: --programs DIR/);
    expect(world.plane.actions).toEqual([]);
  });

  it('runs the programs of --programs, now and at later starts', async () => {
    expect((await call('up', ['--programs', world.given])).code).toBe(0);
    expect(readClusterRecord({ home: world.home, name: 'local' })).toMatchObject({
      kubernetes: 'v1.34.2',
      programs: world.given,
    });
    await call('down');
    await call('up');
    for (const server of KUBE_SERVERS) {
      const { argv } = world.plane.running.get(
        `${clusterFiles({ home: world.home, name: 'local' }).folder} ${server}`,
      )!;
      expect(argv[0]).toContain(world.given);
    }
  });

  it.each([
    [['--kubernetes', '1.37.0'], 'cluster/other-version'],
    [['--kubernetes', '1.35.7'], 'cluster/other-version'],
    [['--kubernetes', '1.36.0'], 'cluster/no-programs'],
    [['--programs', '/nowhere'], 'cluster/no-programs'],
    [['--kubernetes', 'latest'], 'cluster/bad-version'],
    [['--name', '../x'], 'cluster/bad-name'],
  ])('refuses %j and changes nothing', async (argv, code) => {
    await call('up');
    const before = readFileSync(clusterFiles({ home: world.home, name: 'local' }).record, 'utf8');
    const ran = await call('up', argv);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`code:  ${code}`);
    expect(readFileSync(clusterFiles({ home: world.home, name: 'local' }).record, 'utf8')).toBe(before);
  });

  it('refuses programs of another version than --kubernetes', async () => {
    const ran = await call('up', ['--programs', world.given, '--kubernetes', '1.35.8']);
    expect(ran.stderr).toContain('have Kubernetes version v1.34.2, not v1.35.8');
    expect(ran.code).toBe(2);
  });

  it('leaves nothing running after an interrupt, and says how to continue', async () => {
    const stop = new AbortController();
    world.plane.before = (effect) => effect === 'start kube-scheduler' && stop.abort(new Error('SIGINT'));
    const ran = await call('up', [], { signal: stop.signal });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('code:  cluster/interrupted');
    expect(world.plane.running.size).toBe(0);
  });
});
