import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransientError } from '../base/errors.ts';
import { itemsFor } from '../boot/collect/items.ts';
import { addSmallNode, createFakeMachine, type FakeMachine } from '../boot/collect/testing.ts';
import { openJoinLog } from '../cluster/join-log.ts';
import type { JoinEvent } from '../cluster/kubernetes/join-events.ts';
import type { Instance } from '../vms/pools.ts';
import { CLAIM_MEMBER } from './collect-claim.ts';
import { type CollectInstanceOptions, collectInstance } from './collect-instance.ts';
import { type FakePools, fakePools } from './testing.ts';

const BOOT_ID = '46bc72e7a99d4d429784493dd92e074f';

/** The guest's files. */
let fake: FakeMachine;
let pools: FakePools;
let instance: Instance;
let folder: string;
let startedMs: number;

beforeEach(async () => {
  fake = createFakeMachine();
  addSmallNode(fake, { secret: 'x' });
  pools = fakePools(fake.root);
  pools.guest = ([program, ...args], { input }) => {
    if (program === 'cat') return { stdout: Buffer.from('58.25 100.0\n') };
    const { status, stdout } = spawnSync(program!, args, { env: fake.env, input: Buffer.from(input ?? '') });
    return { exitCode: status ?? 1, stdout };
  };
});
afterEach(() => fake.remove());

async function start(cluster?: string): Promise<void> {
  const { ref } = await pools.pools.createPool({
    name: 'p',
    image: { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: '1' },
    extensions: [],
    size: { cpus: 1, memoryMb: 512, diskGb: 4 },
    services: [],
    ...(cluster !== undefined && { cluster }),
    tags: {},
  });
  instance = (await pools.pools.setCapacity(ref, 1))[0]!;
  const place = await pools.guests.readDetails(instance.ref);
  folder = place.folder;
  startedMs = place.startedMs!;
  mkdirSync(folder, { recursive: true });
}

async function collect(more: Partial<CollectInstanceOptions> = {}) {
  const boot = more.boot ?? '0';
  const { signal } = new AbortController();
  const collected = await collectInstance(pools, instance.computerName, {
    boot,
    items: itemsFor(boot),
    signal,
    ...more,
  });
  const text = (name: string) => {
    const member = collected.members.find((each) => each.name === name);
    return member && Buffer.from(member.bytes).toString();
  };
  return { ...collected, vm: text('headstart/vm.json'), events: text('headstart/cluster-events.jsonl') };
}

describe('the collected boot of an instance', () => {
  it("has the start of its VM, the guest's clock, and the health reports of this start only", async () => {
    await start();
    const health = [`{"atMs":5,"state":"Ready"}`, `{"atMs":${startedMs + 40_000},"state":"Ready"}`, 'torn'];
    writeFileSync(join(folder, 'health.jsonl'), health.join('\n'));
    const { vm, events } = await collect();
    expect(JSON.parse(vm!)).toMatchObject({
      ...{ kind: 'VmStart', vmId: instance.vmId, bootId: BOOT_ID, startedMs },
      clock: { uptimeMs: 58_250 },
      health: [{ atMs: startedMs + 40_000, state: 'Ready' }],
    });
    expect(events).toBeUndefined();
  });

  it('has no VM start for an earlier boot, which may belong to another start', async () => {
    await start();
    const { vm, members } = await collect({ boot: '-1' });
    expect(vm).toBeUndefined();
    expect(members.length).toBeGreaterThan(0);
  });

  it('has the rest when the record of its claim is damaged', async () => {
    await start();
    writeFileSync(join(folder, 'claim.json'), '');
    const { vm, missed } = await collect();
    expect(vm).toBeDefined();
    expect(missed).toContainEqual({ name: CLAIM_MEMBER, why: expect.stringContaining('not a valid record') });
  });

  it('reports when the start was not recorded', async () => {
    await start();
    const { readDetails } = pools.guests;
    pools.guests.readDetails = async (ref) => {
      const { startedMs: _, ...place } = await readDetails(ref);
      return place;
    };
    const { vm, missed } = await collect();
    expect(vm).toBeUndefined();
    expect(missed).toContainEqual({ name: 'headstart/vm.json', why: 'the start time was not recorded' });
  });
});

describe('the collected boot of a node', () => {
  const event = (name: JoinEvent['event'], uid: string, afterMs: number): JoinEvent => ({
    ...{ event: name, name: 'n', uid },
    atMs: startedMs + afterMs,
  });

  it('has the logged events, and from its cluster only the others', async () => {
    await start('lab');
    const note = openJoinLog(join(folder, 'cluster-events.jsonl'), startedMs);
    note(event('node-registered', 'n', 51_000));
    note(event('node-ready', 'n', 52_000));
    const looks: unknown[] = [];
    const { events } = await collect({
      readClusterEvents: async (look) => {
        looks.push(look);
        return [event('node-ready', 'n', 52_500), event('pod-running', 'p', 55_000)];
      },
    });
    expect(looks).toMatchObject([{ cluster: 'lab', nodeName: instance.computerName, startedMs }]);
    const lines = events!
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { kind: 'ClusterEvents', vmId: instance.vmId, bootId: BOOT_ID },
      event('node-registered', 'n', 51_000),
      event('node-ready', 'n', 52_000),
      event('pod-running', 'p', 55_000),
    ]);
    expect(lines[0]).not.toHaveProperty('health');
  });

  it('does not read the cluster when the log has the first pod', async () => {
    await start('lab');
    openJoinLog(join(folder, 'cluster-events.jsonl'), startedMs)(event('pod-running', 'p', 55_000));
    const { events } = await collect({ readClusterEvents: () => expect.fail('called') });
    expect(events).toContain('pod-running');
  });

  it('reads the cluster when only the log of an earlier start has the first pod', async () => {
    await start('lab');
    const note = openJoinLog(join(folder, 'cluster-events.jsonl'), 0);
    note({ ...event('pod-running', 'old', -5000), errorMs: 1000 });
    note({ ...event('node-registered', 'n', -500), errorMs: 1000 });
    const readClusterEvents = async () => [event('pod-running', 'p', 55_000)];
    const { events } = await collect({ readClusterEvents });
    expect(events).toMatch(/"uid":"n".*\n.*"uid":"p"/);
    expect(events).not.toContain('"old"');
  });

  it("omits the cluster's events when the cluster is down, and does not hide a bug", async () => {
    await start('lab');
    const away = new TransientError('not reached', { code: 'cluster/unreachable' });
    const { events, missed } = await collect({ readClusterEvents: () => Promise.reject(away) });
    expect(events).toBeUndefined();
    expect(missed).toContainEqual({
      name: 'headstart/cluster-events.jsonl',
      why: 'events after the node was ready: not reached',
    });
    const bug = new TypeError('undefined');
    await expect(collect({ readClusterEvents: () => Promise.reject(bug) })).rejects.toBe(bug);
  });
});
