import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseTarGzip } from 'nanotar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransientError } from '../../base/errors.ts';
import { addSmallNode, createFakeMachine, type FakeMachine } from '../../boot/collect/testing.ts';
import { loadInputs } from '../../boot/load/load.ts';
import { openInputs } from '../../boot/load/open-inputs.ts';
import { milestonesOf } from '../../boot/model/milestones.ts';
import { phases } from '../../boot/model/phases.ts';
import { openJoinLog } from '../../cluster/join-log.ts';
import type { JoinEvent } from '../../cluster/kubernetes/join-events.ts';
import type { ClusterQuery } from '../../local/read-cluster-events.ts';
import { fakePools } from '../../local/testing.ts';
import { run, runVerb } from '../testing.ts';
import { bootCollect, verb } from './collect.ts';

const SECRET = 'hunter22correcthorse';
const NOW_US = Date.UTC(2026, 10, 15, 21, 9, 58) * 1000;

let fake: FakeMachine;
let bundle: string;
beforeEach(() => {
  fake = createFakeMachine();
  fake.addProgram('ssh', 'shift 3\nexec sh -c "$*"');
  fake.addProgram('sudo', 'shift\nexec "$@"');
  bundle = join(fake.root, 'out.tar.gz');
});
afterEach(() => fake.remove());

const collect = (...args: string[]) => runVerb(verb, args, { env: fake.env, nowUs: NOW_US });

describe('boot collect', () => {
  it.each([
    ['on the machine itself', []],
    ['over ssh', ['--host', 'me@node', '--sudo']],
  ])('writes one private bundle without secrets, %s', async (_where, args) => {
    addSmallNode(fake, { secret: SECRET });
    const ran = await collect('-o', bundle, ...args);
    expect(ran).toMatchObject({ code: 0, stdout: `${bundle}\n` });
    expect(statSync(bundle).mode & 0o777).toBe(0o600);
    const members = await parseTarGzip(readFileSync(bundle));
    expect(members.map((member) => member.name)).toContain('systemctl-show-manager.txt');
    expect(members.find((member) => member.text.includes(SECRET))?.name).toBeUndefined();
    const listing = JSON.parse(members[0]!.text) as { kind: string; taken: unknown[]; missed: unknown[] };
    expect(members[0]!.name).toBe('collect.json');
    expect(listing).toMatchObject({
      kind: 'BootCollection',
      hostname: 'Node-A',
      collectedAt: '2026-11-15T21:09:58.000Z',
    });
    expect(listing.taken).toHaveLength(members.length - 1);
    expect(ran.stderr).toContain('took    systemctl-show-manager.txt (');
    expect(ran.stderr).toContain('without dmesg.txt: dmesg failed');
  });

  it('gives the same bytes for the same machine', async () => {
    addSmallNode(fake, { secret: SECRET });
    await collect('-o', bundle);
    await collect('-o', `${bundle}2`);
    expect(readFileSync(`${bundle}2`).equals(readFileSync(bundle))).toBe(true);
  });

  it('a bundle of a recorded boot gives the same answers as the recording', async () => {
    const recording = fileURLToPath(new URL('../../boot/fixtures/boots/first-boot.tar.gz', import.meta.url));
    const inputs = (await openInputs(recording, () => new Uint8Array())).flatMap((group) => group.inputs);
    const place = (name: string, path: string) =>
      fake.writeFile(path, inputs.find((input) => input.name.endsWith(`/${name}`))!.bytes());
    for (const name of [
      'systemctl-show-manager.txt',
      'systemctl-show-units.txt',
      'journal.json',
      'dmesg.txt',
      'uname.txt',
    ]) {
      place(name, name);
    }
    place('cloud-init.log', 'var/log/cloud-init.log');
    place('boot-id.txt', 'proc/sys/kernel/random/boot_id');
    place('os-release.txt', 'etc/os-release');
    fake.addProgram(
      'systemctl',
      'case $2 in "*") kind=units ;; *) kind=manager ;; esac\ncat "$HEADSTART_ROOT/systemctl-show-$kind.txt"',
    );
    for (const [program, name] of [
      ['journalctl', 'journal.json'],
      ['dmesg', 'dmesg.txt'],
      ['uname', 'uname.txt'],
    ] as const) {
      fake.addProgram(program, `cat "$HEADSTART_ROOT/${name}"`);
    }
    await collect('-o', bundle);
    const load = async (path: string) =>
      (await loadInputs([path], { readStdin: () => new Uint8Array(), nowUs: NOW_US })).at(-1)!;
    const [ours, theirs] = [await load(bundle), await load(recording)];
    expect(ours.bootId).toBe(theirs.bootId);
    expect(phases(ours)).toEqual(phases(theirs));
    expect(milestonesOf(ours)).toEqual(milestonesOf(theirs));
    expect(
      ours.units.map(({ name, activatingUs, activatedUs, after }) => ({ name, activatingUs, activatedUs, after })),
    ).toEqual(
      theirs.units.map(({ name, activatingUs, activatedUs, after }) => ({ name, activatingUs, activatedUs, after })),
    );
  });

  it('tells scripts what was taken', async () => {
    addSmallNode(fake, { secret: SECRET });
    const { stdout } = await collect('-o', bundle, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ apiVersion: 'headstart.dev/v1', kind: 'BootCollection', path: bundle });
  });

  it('a dry run says what it would read and reads and writes nothing', async () => {
    fake.addProgram('systemctl', 'touch "$HEADSTART_ROOT/ran"');
    const { code, stdout } = await collect('--dry-run', '--host', 'me@node');
    expect(code).toBe(0);
    expect(stdout).toContain('over: ssh -T -- me@node sh -s\n');
    expect(stdout).toContain('read: /var/log/cloud-init.log*\n');
    expect(stdout).toContain('write boot-node-20261115-210958.tar.gz (mode 0600)\n');
    expect(readdirSync(fake.root)).toEqual([]);
  });

  it('a machine that tells nothing is an error, not an empty bundle', async () => {
    fake.addProgram('systemctl', 'echo "not booted with systemd" >&2; exit 1');
    fake.addProgram('journalctl', 'exit 0');
    const { code, stderr } = await collect('-o', bundle);
    expect(code).toBe(1);
    expect(stderr).toContain('code:  boot/no-live-boot');
    expect(readdirSync(fake.root)).toEqual([]);
  });

  it.each([
    [['--host', '-oProxyCommand=id'], 'boot/bad-host'],
    [['--boot', 'x; id'], 'boot/bad-boot'],
  ])('refuses %j before anything is run', async (args, code) => {
    const ran = await collect('-o', bundle, ...args);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(`code:  ${code}`);
  });

  it('says so when the bundle cannot be written', async () => {
    addSmallNode(fake, { secret: SECRET });
    const { code, stderr } = await collect('-o', join(fake.root, 'none', 'x.tar.gz'));
    expect(code).toBe(1);
    expect(stderr).toContain('code:  boot/output-unwritable');
  });
});

describe('boot collect --instance', () => {
  /** A VM of a pool whose guest is the machine in a folder. */
  async function poolOfOne(cluster?: string) {
    const pools = fakePools(fake.root);
    const image = await pools.addImage('headstart', 'debian-12', '2026.11.15');
    const size = { cpus: 1, memoryMb: 512, diskGb: 4 };
    const pool = await pools.pools.createPool({
      name: 'p',
      image: { kind: 'version', id: image },
      extensions: [],
      size,
      services: [],
      ...(cluster !== undefined && { cluster }),
      tags: {},
    });
    const [instance] = await pools.pools.setCapacity(pool.ref, 1);
    pools.guest = ([program, ...args], { input }) => {
      if (program === 'cat') return { stdout: Buffer.from('58.25 100.0\n') };
      const { status, stdout } = spawnSync(program!, args, { env: fake.env, input: Buffer.from(input ?? '') });
      return { exitCode: status ?? 1, stdout };
    };
    const { folder, startedMs } = await pools.guests.readDetails(instance!.ref);
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'health.jsonl'),
      `{"atMs":5,"state":"Ready"}\n{"atMs":${startedMs! + 40_000},"state":"Ready"}\ntorn`,
    );
    const asked: ClusterQuery[] = [];
    const later: { events: JoinEvent[]; trouble?: Error } = { events: [] };
    const readClusterEvents = async (look: ClusterQuery) => {
      asked.push(look);
      if (later.trouble) throw later.trouble;
      return later.events;
    };
    const ask = (...args: string[]) =>
      runVerb(
        bootCollect(async () => pools, readClusterEvents),
        [...args, '--instance', instance!.computerName],
        { env: fake.env, nowUs: NOW_US },
      );
    return { pools, instance: instance!, startedMs: startedMs!, ask, asked, later };
  }

  it('takes the same as over ssh without secrets, and when the VM was started', async () => {
    addSmallNode(fake, { secret: SECRET });
    const { ask, instance, startedMs } = await poolOfOne();
    const ran = await ask('-o', bundle);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: `${bundle}\n` });
    const members = await parseTarGzip(readFileSync(bundle));
    expect(members.find((member) => member.text.includes(SECRET))?.name).toBeUndefined();
    expect(members.map(({ name }) => name)).toEqual(expect.arrayContaining(['journal.json', 'var/log/cloud-init.log']));
    const vm = members.find(({ name }) => name === 'headstart/vm.json')!;
    expect(JSON.parse(vm.text)).toMatchObject({
      kind: 'VmStart',
      vmId: instance.vmId,
      bootId: '46bc72e7a99d4d429784493dd92e074f',
      startedMs,
      clock: { uptimeMs: 58_250 },
      health: [{ atMs: startedMs + 40_000, state: 'Ready' }],
    });
    expect(members.map(({ name }) => name)).not.toContain('headstart/cluster-events.jsonl');
  });

  it('takes what the cluster saw of a node, which ends its timeline at Ready', async () => {
    addSmallNode(fake, { secret: SECRET });
    const { ask, asked, later, pools, instance, startedMs } = await poolOfOne('local');
    const { folder } = await pools.guests.readDetails(instance.ref);
    const note = openJoinLog(join(folder, 'cluster-events.jsonl'), startedMs);
    const node = { name: instance.computerName, uid: '0edb028b-b965-4234-a40a-d42ef7e773a3' };
    note({ atMs: startedMs + 50_000.25, event: 'csr-issued', name: 'node-csr-9b8wz', uid: 'r' });
    note({ atMs: startedMs + 51_000, event: 'node-registered', ...node });
    note({ atMs: startedMs + 52_000, event: 'node-ready', ...node });
    const pod = { name: 'default/a', uid: 'p', atMs: startedMs + 55_000, errorMs: 500 };
    later.events = [
      { atMs: startedMs + 52_500, errorMs: 500, event: 'node-ready', ...node },
      { event: 'pod-running', ...pod },
    ];
    const ran = await ask('-o', bundle);
    expect(ran.code, ran.stderr).toBe(0);
    expect(asked).toMatchObject([{ cluster: 'local', nodeName: instance.computerName, startedMs }]);
    const members = await parseTarGzip(readFileSync(bundle));
    const lines = members
      .find(({ name }) => name === 'headstart/cluster-events.jsonl')!
      .text.trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { kind: 'ClusterEvents', vmId: instance.vmId, bootId: '46bc72e7a99d4d429784493dd92e074f', startedMs },
      { event: 'csr-issued', atMs: startedMs + 50_000.25, name: 'node-csr-9b8wz' },
      { event: 'node-registered', ...node },
      { event: 'node-ready', atMs: startedMs + 52_000 },
      { event: 'pod-running', ...pod },
    ]);
    const timeline = await run(['boot', 'timeline', '--json', '-i', bundle]);
    expect(JSON.parse(timeline.stdout)).toMatchObject({ endsAt: 'node-ready' });
    later.trouble = new TransientError('the API server could not be reached', { code: 'cluster/unreachable' });
    const without = await ask('-o', bundle);
    expect(without, without.stderr).toMatchObject({ code: 0 });
    expect(without.stderr).toContain(
      'without headstart/cluster-events.jsonl: events after the node was ready: the API server',
    );
  });

  it('says nothing of the start for an earlier boot', async () => {
    addSmallNode(fake, { secret: SECRET });
    const { ask } = await poolOfOne();
    expect((await ask('-o', bundle, '--boot', '-1')).code).toBe(0);
    expect((await parseTarGzip(readFileSync(bundle))).map(({ name }) => name)).not.toContain('headstart/vm.json');
  });

  it('needs a guest that runs, and one that answers', async () => {
    const { ask, pools, instance } = await poolOfOne();
    pools.guest = () => ({ exitCode: 1 });
    expect((await ask('-o', bundle)).stderr).toContain('code:  boot/host-unreachable');
    pools.state.pools.get('pools/p')!.instances[0]!.power = 'stopped';
    expect((await ask('-o', bundle)).stderr).toContain(`next:  headstart pool start ${instance.computerName}`);
    expect((await ask('--host', 'me@node')).code).toBe(2);
  });

  it('a dry run asks no guest', async () => {
    const { ask, pools, instance } = await poolOfOne();
    const { stdout } = await ask('--dry-run');
    expect(stdout).toContain(`over: the guest agent of ${instance.computerName}\n`);
    expect(pools.ran).toEqual([]);
  });
});
