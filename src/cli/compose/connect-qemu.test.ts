import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clusterFiles, writeClusterRecord } from '../../cluster/local/cluster-files.ts';
import { renderKubeconfig } from '../../cluster/local/kubeconfig.ts';
import { type FakePools, fakePools } from '../../local/testing.ts';
import { findSitePool, listSitePools } from '../../prototype/donor/find-pool.ts';
import { readMembers } from '../../prototype/donor/members.ts';
import { locateDonor } from '../../prototype/donor/out-of-service.ts';
import { savedModelName } from '../../prototype/names.ts';
import type { Site } from '../../prototype/site.ts';
import type { ConnectOptions } from '../prototype/connect-options.ts';
import { type CliResult, testDeps } from '../testing.ts';
import { connectQemu } from './connect-qemu.ts';

let folder: string;
let pools: FakePools;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-connect-'));
  pools = fakePools(folder);
  const image = { kind: 'version' as const, id: await pools.addImage('headstart', 'debian-12', '2026.11.15') };
  const size = { cpus: 1, memoryMb: 512, diskGb: 4 };
  for (const name of ['p', 'empty']) {
    await pools.pools.createPool({ name, image, extensions: [], size, services: [], tags: {} });
  }
  await pools.pools.setCapacity({ id: 'pools/p', name: 'p' }, 2);
});
afterEach(() => rmSync(folder, { recursive: true }));

const RECORD = {
  format: 1 as const,
  kubernetes: 'v1.35.8',
  programs: '/programs',
  ports: { etcd: 1, 'etcd-peer': 2, 'kube-apiserver': 3, 'kube-controller-manager': 4, 'kube-scheduler': 5 },
  guestAddress: '168.0.0.10',
  createdMs: 0,
};
const KUBECONFIG = renderKubeconfig({ url: 'https://127.0.0.1:3', ca: '', token: 'none' });
const signal = new AbortController().signal;
let ran: CliResult;
function connect(options: ConnectOptions = {}): Promise<Site> {
  const world = testDeps({ env: { HEADSTART_HOME: folder }, signal });
  ran = world.ran;
  return connectQemu(options, world.deps, async () => pools);
}
const instances = () => pools.state.pools.get('pools/p')!.instances;

describe('connectQemu with pools of a local cluster', () => {
  const joinPool = (pool: string, cluster: string) => pools.specs.set(pool, { ...pools.specs.get(pool)!, cluster });

  it('refuses --no-cluster, because the donor would not be drained', async () => {
    joinPool('p', 'local');
    joinPool('empty', 'local');
    await expect(connect({ pool: 'p' })).rejects.toMatchObject({ code: 'cluster/none' });
    mkdirSync(join(folder, 'clusters', 'local'), { recursive: true });
    writeClusterRecord({ home: folder, name: 'local' }, RECORD);
    await expect(connect({ pool: 'p', cluster: false })).rejects.toMatchObject({ code: 'prototype/option-misfit' });
    writeFileSync(clusterFiles({ home: folder, name: 'local' }).kubeconfig, KUBECONFIG);
    const world = await connect({ pool: 'p' });
    expect(world).toMatchObject({ hasCluster: true, givesCredentials: true, channel: 'private' });
  });

  it('needs --pool if the pools belong to different clusters', async () => {
    joinPool('p', 'local');
    await expect(connect()).rejects.toMatchObject({ code: 'prototype/which-cluster' });
    expect(await connect({ pool: 'empty' })).toMatchObject({ hasCluster: false });
    expect(await connect({ cluster: false })).toMatchObject({ hasCluster: false });
  });
});

describe('connectQemu with pools without a cluster', () => {
  it('uses the instances as nodes, and finds them by name in every pool', async () => {
    const world = await connect();
    const { computerName, ref } = instances()[0]!;
    expect(world).toMatchObject({ hasCluster: false, gallery: 'SIG_local' });
    expect((await locateDonor(world, computerName, signal)).ref).toEqual(ref);
    await expect(locateDonor(world, 'nope', signal)).rejects.toMatchObject({ code: 'prototype/no-node' });
  });

  it('finds empty pools', async () => {
    const world = await connect();
    expect((await listSitePools(world, signal)).map(({ name }) => name)).toEqual(['p', 'empty']);
    const membersOf = async (name: string) => readMembers(world, await findSitePool(world, name, signal), signal);
    expect(await findSitePool(world, 'empty', signal)).toEqual({ id: 'pools/empty', name: 'empty' });
    expect(await membersOf('empty')).toEqual([]);
    expect(await membersOf('p')).toHaveLength(2);
    await expect(membersOf('q')).rejects.toThrow('there is no pool called q; known: empty, p');
  });

  it('reports an instance as Ready when its guest is up, and runs scripts through the guest agent', async () => {
    const { cluster } = await connect();
    const { computerName } = instances()[0]!;
    expect(await cluster.readNode(computerName)).toMatchObject({
      isReady: true,
      readySinceMs: pools.clock.nowMs() - 60_000,
    });
    pools.trouble = new Error('booting');
    expect(await cluster.readNode(computerName)).toMatchObject({ isReady: false });
    pools.guest = () => ({ exitCode: 3, stdout: Buffer.from('out'), stderr: Buffer.from('err') });
    const ran = await cluster.runOnNode(computerName, 'echo hi', { deadlineMs: 1000 });
    expect(ran).toEqual({ exitCode: 3, stdout: 'out', stderr: 'err' });
    expect(pools.ran).toEqual([{ instance: computerName, argv: ['/bin/sh', '-s'], input: 'echo hi' }]);
  });

  it('keeps locks and saved models in the home folder, readable by the owner only', async () => {
    const { cluster } = await connect();
    const pool = { id: 'pools/p', name: 'p' };
    await cluster.writeSecret(savedModelName(pool), { recipe: '{}' });
    expect(statSync(join(folder, 'prototype', `${savedModelName(pool)}.json`)).mode & 0o077).toBe(0);
    await cluster.listPods('n');
    expect(ran.stderr).toBe('note: n is in no cluster: there is nothing to drain\n');
  });
});
