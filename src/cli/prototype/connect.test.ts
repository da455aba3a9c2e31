import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ran, RunCommand } from '../../base/command.ts';
import { sshProgram } from '../../base/ssh-program.ts';
import { filesOf, writeRecord } from '../../cluster/local/cluster-files.ts';
import { renderKubeconfig } from '../../cluster/local/kubeconfig.ts';
import { recipeName } from '../../prototype/names.ts';
import { type FakePools, fakePools } from '../pool/testing.ts';
import { run } from '../testing.ts';
import type { Edges } from '../verb.ts';
import { type ConnectOptions, connectWorld, listPools, locateNode, poolMembers } from './connect.ts';
import { connectQemu } from './connect-qemu.ts';
import { sshChannel } from './connect-ssh.ts';

let folder: string;
let pools: FakePools;
let said: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-connect-'));
  pools = fakePools(folder);
  said = '';
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
const edges = (env: Edges['env'] = {}): Edges => ({
  stdout: () => undefined,
  stderr: (text) => {
    said += text;
  },
  readStdin: () => new Uint8Array(),
  env: { HEADSTART_HOME: folder, ...env },
  isTerminal: { stdout: false, stderr: false },
  nowUs: () => 0,
  signal: () => signal,
});
const connect = (options: ConnectOptions = {}) => connectQemu(options, edges(), async () => pools);
const instances = () => pools.state.pools.get('pools/p')!.instances;

describe('the pools of a cluster of this machine', () => {
  const joinPool = (pool: string, cluster: string) => pools.specs.set(pool, { ...pools.specs.get(pool)!, cluster });

  it('cannot do without it: its pods would not be moved away', async () => {
    joinPool('p', 'local');
    joinPool('empty', 'local');
    await expect(connect({ pool: 'p' })).rejects.toMatchObject({ code: 'cluster/none' });
    mkdirSync(join(folder, 'clusters', 'local'), { recursive: true });
    writeRecord({ home: folder, name: 'local' }, RECORD);
    await expect(connect({ pool: 'p', cluster: false })).rejects.toMatchObject({ code: 'prototype/option-misfit' });
    writeFileSync(filesOf({ home: folder, name: 'local' }).kubeconfig, KUBECONFIG);
    const world = await connect({ pool: 'p' });
    expect(world).toMatchObject({ hasCluster: true, givesCredentials: true, channel: 'private' });
  });

  it('have to be named where not all are of the same one', async () => {
    joinPool('p', 'local');
    await expect(connect()).rejects.toMatchObject({ code: 'prototype/which-cluster' });
    expect(await connect({ pool: 'empty' })).toMatchObject({ hasCluster: false });
    expect(await connect({ cluster: false })).toMatchObject({ hasCluster: false });
  });
});

describe('the pools of this machine without a cluster', () => {
  it('have their instances for nodes, found by name in whichever pool they are', async () => {
    const world = await connect();
    const { computerName, ref } = instances()[0]!;
    expect(world).toMatchObject({ hasCluster: false, gallery: 'SIG_local' });
    expect((await locateNode(world, computerName, signal)).ref).toEqual(ref);
    await expect(locateNode(world, 'nope', signal)).rejects.toMatchObject({ code: 'prototype/no-node' });
  });

  it('are known also while they are empty', async () => {
    const world = await connect();
    expect((await listPools(world, signal)).map(({ name }) => name)).toEqual(['p', 'empty']);
    expect(await poolMembers(world, 'empty', signal)).toEqual({
      pool: { id: 'pools/empty', name: 'empty' },
      members: [],
    });
    expect((await poolMembers(world, 'p', signal)).members).toHaveLength(2);
    await expect(poolMembers(world, 'q', signal)).rejects.toThrow('there is no pool called q; known: empty, p');
  });

  it('are Ready when their guest is up, and are reached through its agent', async () => {
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

  it('keep what a cluster would keep in their home, closed to others', async () => {
    const { cluster } = await connect();
    await cluster.writeSecret(recipeName('p'), { recipe: '{}' });
    expect(statSync(join(folder, 'prototype', `${recipeName('p')}.json`)).mode & 0o077).toBe(0);
    await cluster.listPods('n');
    expect(said).toBe('note: n is in no cluster: there is nothing to drain\n');
  });
});

describe('options that go together', () => {
  it.each<[ConnectOptions, Edges['env'], string]>([
    [{ vms: 'azure', scrub: false }, {}, 'the copy is not scrubbed'],
    [{ vms: 'azure', cloudInit: 'off' }, {}, 'Azure provisions every instance through it'],
    [{ overSsh: 'me@node' }, {}, 'a pod is the way in'],
    [{ overSsh: 'me@node', cluster: false }, { HEADSTART_VMS: 'qemu' }, "the guest's agent is the way in"],
    [{ overSsh: true }, {}, 'a pod is the way in'],
    [{ cluster: false, unseal: true }, {}, 'without a cluster there is no way in'],
    [{ overSsh: 'me@node', cluster: false, unseal: true }, {}, '--over-ssh me@node only one'],
    [{}, { HEADSTART_VMS: 'ec2' }, 'not one of azure, qemu'],
  ])('are told apart before anything is touched: %j with %j', async (options, env, message) => {
    await expect(connectWorld(options, edges(env))).rejects.toThrow(message);
  });

  const azure: ConnectOptions = {
    subscription: '11111111-2222-3333-4444-555555555555',
    resourceGroup: 'g',
    login: 'operator',
  };

  it('on Azure without a cluster need the pool', async () => {
    const world = connectWorld({ ...azure, cluster: false }, edges());
    await expect(world).rejects.toMatchObject({ code: 'prototype/pool-needed' });
    const { pools: known, hasCluster } = await connectWorld({ ...azure, cluster: false, pool: 'vmss' }, edges());
    expect(hasCluster).toBe(false);
    const id = `/subscriptions/${azure.subscription}/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/vmss`;
    expect(await known!()).toEqual([{ id, name: 'vmss' }]);
    const byId = await connectWorld({ ...azure, cluster: false, pool: id.replace('/g/', '/Other/') }, edges());
    expect((await byId.pools!())[0]!.id).toContain('/resourceGroups/other/');
  });

  it('refuse a login that does not exist, and name those that do', async () => {
    const { code, stderr } = await run(['prototype', 'status', '--login', 'foo']);
    expect(code).toBe(2);
    expect(stderr).toContain('cluster, workload-identity, managed-identity, operator');
  });

  it('say what to do where no cluster is configured', async () => {
    const world = connectWorld({ ...azure, kubeconfig: join(folder, 'none') }, edges());
    await expect(world).rejects.toMatchObject({
      code: 'cluster/no-kubeconfig',
      next: expect.stringContaining('--no-cluster --pool NAME'),
    });
  });
});

describe('a channel over ssh', () => {
  const answer =
    (ran: Partial<Ran>): RunCommand =>
    async () => ({
      outcome: 'exited',
      code: 0,
      stdout: Buffer.from('out'),
      stderr: '',
      ...ran,
    });

  it('gives a script to a shell of root and brings back how it ended', async () => {
    const asked: unknown[] = [];
    const channel = sshChannel('me@node', async (argv, options) => {
      asked.push(argv, options?.input);
      return answer({ code: 4 })(argv);
    });
    expect(await channel.run('echo hi', { deadlineMs: 1000 })).toEqual({ exitCode: 4, stdout: 'out', stderr: '' });
    expect(asked[0]).toEqual(expect.arrayContaining(['BatchMode=yes', '--', 'me@node']));
    expect(asked[1]).toBe('echo hi');
  });

  it('that does not come about may come about later', async () => {
    const channel = sshChannel('me@node', answer({ code: 255, stderr: 'Connection refused\n' }));
    await expect(channel.run('x', { deadlineMs: 1 })).rejects.toMatchObject({
      name: 'TransientError',
      code: 'prototype/ssh',
    });
    expect(await channel.isAnswering()).toBe(false);
    await expect(sshChannel('n', answer({ outcome: 'missing', code: null })).isAnswering()).rejects.toThrow(
      'not installed',
    );
  });

  it('is opened by the program that HEADSTART_SSH names, and says so where there is none', async () => {
    const programs: string[] = [];
    const run: RunCommand = async (argv) => {
      programs.push(argv[0]);
      return answer({ outcome: 'missing', code: null })(argv);
    };
    const channel = sshChannel('me@node', run, sshProgram({ HEADSTART_SSH: '/opt/bastion-ssh' }));
    await expect(channel.isAnswering()).rejects.toMatchObject({
      message: expect.stringContaining('cannot start /opt/bastion-ssh, which HEADSTART_SSH names'),
      code: 'prototype/no-ssh-client',
    });
    expect(programs).toEqual(['/opt/bastion-ssh']);
    expect(sshProgram({ HEADSTART_SSH: '' })).toBe('ssh');
  });

  it.each(['-oProxyCommand=id', '', 'a b', 'a\nb'])('leads nowhere for %j', (target) => {
    expect(() => sshChannel(target, answer({}))).toThrow(expect.objectContaining({ code: 'prototype/bad-host' }));
  });
});
