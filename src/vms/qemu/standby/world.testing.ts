// vms/qemu/standby/world.testing.ts: a local pool with a cluster and guests in memory, in which every call of a command can be interrupted.
// It notes what must never happen: a guest that continues from memory that does not fit its disk.
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { TransientError, UserError } from '../../../base/errors.ts';
import { type FakeClock, fakeClock } from '../../../base/fake-clock.ts';
import { Secret } from '../../../base/secret.ts';
import type { PoolRef } from '../../pools.ts';
import { STANDBY_TIERS, type StandbyCounts, type StandbyTier } from '../../standby.ts';
import type { QemuContext } from '../context.ts';
import type { CallAgent, GuestAgent } from '../guest/guest-agent.ts';
import { allRecordsOf, readInstanceRecord } from '../home/instance-records.ts';
import { instanceFiles, instancesFolder, poolRef } from '../home/layout.ts';
import type { QemuProvider } from '../local-provider.ts';
import { NotAnswering } from '../machine/line-socket.ts';
import type { MachineRef, MachineState, Machines } from '../machine/machine.ts';
import type { JoinCluster } from '../pools/join-cluster.ts';
import { providerIn } from '../qemu-provider.ts';
import { makeLab, poolSpec, publishEmpty, standInCluster } from '../testing.ts';

/** Thousands of records are synced to disk, which takes no time here. */
const MEMORY = '/dev/shm';

export const TAINT = 'parked';
export const none: StandbyCounts = { paused: 0, frozen: 0, stopped: 0 };

/** A certificate like that of a kubelet. It ends in 2046. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBxjCCAWugAwIBAgIUIR0465yuP+eCVMhyNwir6uW/5oQwCgYIKoZIzj0EAwIw
ODEVMBMGA1UECgwMc3lzdGVtOm5vZGVzMR8wHQYDVQQDDBZzeXN0ZW06bm9kZTp3
ZWItMDAwMDAxMB4XDTI2MTExODIwMjM1NVoXDTQ2MDExNzIwMjM1NVowODEVMBMG
A1UECgwMc3lzdGVtOm5vZGVzMR8wHQYDVQQDDBZzeXN0ZW06bm9kZTp3ZWItMDAw
MDAxMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE5hqU/4l9yl9NgwdqvKDw1WK7
JAX9BgN8CHnspVHz0mYSK2/EjZiIZn4CRxcS5LTYaMjbzyPj5K3iUof+I0bDRKNT
MFEwHQYDVR0OBBYEFCSqUdJob0INnYDUF15iAq4LhK06MB8GA1UdIwQYMBaAFCSq
UdJob0INnYDUF15iAq4LhK06MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwID
SQAwRgIhAP++/peAWD9Gwn3ZHg+QhkIwVEKcag/8ZrWbJPBxqAy6AiEAybuDyjS+
gZTomFzMASljrwbpLXa1NnbXBQDOTTEU8N0=
-----END CERTIFICATE-----
`;

interface Guest {
  state: MachineState;
  /** Booted, or continued from a file. A continued kubelet does not register its Node again. */
  origin: 'boot' | 'memory';
  isLoaded: boolean;
  /** Since it last continued. */
  isWoken: boolean;
  applied: number;
  /** Where its process connects to: the API server's port when it was launched. */
  apiPort: number;
}

export type When = 'before' | 'after';

export interface StandbyWorld {
  context: QemuContext;
  provider: QemuProvider;
  clock: FakeClock;
  pool: PoolRef;
  guests: Map<string, Guest>;
  /** Node name → its taints. */
  nodes: Map<string, string[]>;
  certificate: string;
  /** The API server does not answer. */
  isClusterDown: boolean;
  /** Of the API server, on this machine. */
  apiPort: number;
  problems: string[];
  refilled: string[];
  /** What commands did, in order. */
  calls: string[];
  /** Called before and after each call of the machines, the guests and the cluster. */
  interrupt: (call: string, when: When) => void | Promise<void>;
  /** The same world in a copy of its home. */
  fork(): StandbyWorld;
  end(): void;
}

interface Inside {
  guests: Map<string, Guest>;
  nodes: Map<string, string[]>;
  serial: number;
}

export async function standbyWorld(changes: Partial<QemuContext> = {}): Promise<StandbyWorld> {
  const lab = makeLab();
  const image = await publishEmpty(lab);
  await publishEmpty(lab, '1.0.1');
  await lab.provider.pools.createPool(poolSpec(image, { cluster: 'lab' }));
  return worldIn(lab.context.home, fakeClock(), { guests: new Map(), nodes: new Map(), serial: 0 }, changes);
}

function worldIn(home: string, clock: FakeClock, inside: Inside, changes: Partial<QemuContext>): StandbyWorld {
  const { guests, nodes } = inside;
  const pool = poolRef('web');
  const runs: { exitCode: number; out: string }[] = [];
  /** Instances whose Node is tainted as soon as it registers. */
  const reservations = new Map<string, () => void>();

  async function step<T>(call: string, work: () => T | Promise<T>): Promise<T> {
    world.calls.push(call);
    await world.interrupt(call, 'before');
    const value = await work();
    await world.interrupt(call, 'after');
    return value;
  }
  const guestOf = ({ vmId }: MachineRef) => guests.get(vmId);
  const guestIn = (folder: string) => {
    const record = readInstanceRecord(home, { pool, id: basename(folder) });
    return record && guests.get(record.vmId);
  };
  const on = (machine: MachineRef): Guest => {
    const guest = guestOf(machine);
    if (!guest) throw new NotAnswering('qmp.sock hung up');
    return guest;
  };
  /** A guest that runs writes to its disk. */
  const run = (machine: MachineRef, guest: Guest) => {
    guest.state = 'running';
    appendFileSync(join(machine.folder, instanceFiles.disk), `ran ${++inside.serial}\n`);
  };
  const diskOf = ({ folder }: MachineRef) => readFileSync(join(folder, instanceFiles.disk), 'utf8');

  const machines: Machines = {
    state: async (machine) => guestOf(machine)?.state ?? 'off',
    launch: (machine, argv) =>
      step('launch', () => {
        const isResumed = argv.includes('-incoming');
        const guest: Guest = {
          ...{ state: 'paused', origin: isResumed ? 'memory' : 'boot', isLoaded: !isResumed },
          ...{ isWoken: !isResumed, applied: 0, apiPort: world.apiPort },
        };
        guests.set(machine.vmId, guest);
        if (!isResumed) run(machine, guest);
      }),
    forwardedPorts: async () => new Map(),
    reset: async () => undefined,
    pressPower: async () => undefined,
    pause: (machine) => step('pause', () => void Object.assign(on(machine), { state: 'paused', isWoken: false })),
    resume: (machine) =>
      step('resume', () => {
        const guest = on(machine);
        if (!guest.isLoaded) world.problems.push('a guest continued before its memory was loaded');
        run(machine, guest);
      }),
    freeze: (machine) =>
      step('freeze', () => {
        on(machine);
        for (const name of [instanceFiles.memory, instanceFiles.devices])
          writeFileSync(join(machine.folder, name), diskOf(machine), { mode: 0o600 });
        guests.delete(machine.vmId);
      }),
    load: (machine) =>
      step('load', () => {
        const fits = [instanceFiles.memory, instanceFiles.devices].every(
          (name) => readFileSync(join(machine.folder, name), 'utf8') === diskOf(machine),
        );
        if (!fits) world.problems.push('frozen memory was loaded that does not fit the disk');
        on(machine).isLoaded = true;
      }),
    build: async () => '7.2.22',
    end: (machine) => step('end', () => void guests.delete(machine.vmId)),
  };

  const agent: GuestAgent = {
    talk: async (folder, { signal }, work) => {
      signal?.throwIfAborted();
      const answering = () => {
        const guest = guestIn(folder);
        if (guest?.state !== 'running') throw new NotAnswering('no agent');
        return guest;
      };
      const ask: CallAgent = async (command, args = {}) => {
        const guest = answering();
        if (command === 'guest-exec-status') {
          const { exitCode, out } = runs[Number(args.pid) - 1]!;
          return { exited: true, exitcode: exitCode, 'out-data': Buffer.from(out).toString('base64') };
        }
        if (command === 'guest-exec') return { pid: runs.push(runProgram(guest, args)) };
        return 1;
      };
      answering();
      return step('guest', () => work(ask));
    },
    shutDown: (folder) =>
      step('guest-shutdown', () => {
        const record = readInstanceRecord(home, { pool, id: basename(folder) });
        if (record) guests.delete(record.vmId);
      }),
  };
  const runProgram = (guest: Guest, { path, arg }: { path?: unknown; arg?: unknown }) => {
    const [program, words] = [String(path), arg as string[]];
    if (program === 'sed') return { exitCode: 0, out: world.certificate };
    if (program === 'headstart') guest.applied++;
    if (program !== 'perl') return { exitCode: 0, out: 'running\n' };
    if (words.includes('rehearse')) return { exitCode: 0, out: '' };
    guest.isWoken = true;
    return { exitCode: 0, out: `clock=set\nentropy=added\nconnections=1\ntime=${clock.nowMs()}000000\n` };
  };

  const asked = <T>(call: string, work: () => T | Promise<T>) =>
    step(call, () => {
      if (world.isClusterDown)
        throw new TransientError('the API server does not answer', { code: 'cluster/unreachable' });
      return work();
    });
  const server = () => ({ ...standInCluster().server(''), to: { host: '127.0.0.1', port: world.apiPort } });
  const clusterCalls: Partial<JoinCluster> = {
    server,
    admit: (_, { id }) => asked(`admit ${id}`, () => ({ server: server(), credential: new Secret('x') })),
    awaitReady: (_, { ref }) =>
      asked(`awaitReady ${ref.id}`, () => {
        const record = readInstanceRecord(home, ref);
        const guest = record && guests.get(record.vmId);
        if (!guest) throw new UserError(`${ref.id} is not running`, { code: 'test/off' });
        if (guest.apiPort !== world.apiPort) throw new UserError(`${ref.id} is not Ready`, { code: 'test/moved' });
        if (nodes.has(ref.id)) return;
        if (guest.origin === 'memory') throw new UserError(`${ref.id} is not Ready`, { code: 'test/no-node' });
        const reserve = reservations.get(ref.id);
        nodes.set(ref.id, reserve ? [TAINT] : []);
        reserve?.();
      }),
    reserve: (_, { id }, { signal }) =>
      asked(`reserve ${id}`, () => {
        const node = nodes.get(id);
        if (node) return void nodes.set(id, [...new Set([...node, TAINT])]);
        return new Promise<void>((resolve, reject) => {
          reservations.set(id, resolve);
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
          if (signal?.aborted) reject(signal.reason);
        }).finally(() => reservations.delete(id));
      }),
    readSeed: (_, { id }) =>
      asked(`readSeed ${id}`, () => {
        if (!nodes.get(id)?.includes(TAINT)) throw new UserError(`${id} cannot be parked`, { code: 'test/no-taint' });
        return {};
      }),
    createNode: (_, { id }, _seed, { held }) =>
      asked(`createNode ${id}`, () => void nodes.set(id, held ? [TAINT] : [])),
    release: (_, { id }) => asked(`release ${id}`, () => void (nodes.has(id) && nodes.set(id, []))),
    forgetNode: (_, { id }) => asked(`forgetNode ${id}`, () => void nodes.delete(id)),
    removeNode: (_, { id }, { signal }) =>
      step(`removeNode ${id}`, () => {
        signal?.throwIfAborted();
        if (!world.isClusterDown) nodes.delete(id);
      }),
  };

  const base = makeLab();
  base.end();
  const context: QemuContext = {
    ...{ ...base.context, home, clock, machines, agent, stopGraceMs: 60_000 },
    joinCluster: standInCluster(clusterCalls),
    newVmId: () => `00000000-0000-4000-8000-${String(++inside.serial).padStart(12, '0')}`,
    refill: ({ name }) => void world.refilled.push(name),
    ...changes,
  };
  const world: StandbyWorld = {
    ...{ context, clock, pool, guests, nodes, provider: providerIn(context) },
    certificate: CERTIFICATE,
    isClusterDown: false,
    apiPort: 6443,
    problems: [],
    refilled: [],
    calls: [],
    interrupt: () => undefined,
    fork() {
      const copy = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'headstart-standby-'));
      cpSync(home, copy, { recursive: true });
      const own = { guests: structuredClone(guests), nodes: structuredClone(nodes), serial: inside.serial };
      return worldIn(copy, fakeClock(clock.nowMs()), own, changes);
    },
    end: () => rmSync(home, { recursive: true }),
  };
  return world;
}

/** What is wrong in a world in which no command runs; empty when all is well. */
export async function problemsIn(world: StandbyWorld, wanted: { inService: number; counts: StandbyCounts }) {
  const { provider, pool, nodes, guests, context } = world;
  const problems = [...world.problems];
  const records = allRecordsOf(context.home, pool);
  const folder = instancesFolder(context.home, pool.name);
  const isEqual = (what: string, seen: unknown, expected: unknown) => {
    const [a, b] = [seen, expected].map((value) => JSON.stringify(value));
    if (a !== b) problems.push(`${what}: ${a}, expected ${b}`);
  };
  isEqual('folders', existsSync(folder) ? readdirSync(folder).sort() : [], records.map(({ id }) => id).sort());
  const inService = records.filter(({ standby }) => !standby);
  isEqual('instances in service', inService.length, wanted.inService);
  isEqual('nodes', [...nodes.keys()].sort(), inService.map(({ id }) => id).sort());
  const strangers = [...guests.keys()].filter((vmId) => !records.some((record) => record.vmId === vmId));
  isEqual('processes without an instance', strangers, []);
  for (const record of inService) {
    const guest = guests.get(record.vmId);
    isEqual(`${record.id}: process`, guest?.state, 'running');
    isEqual(`${record.id}: woken`, guest?.isWoken, true);
    isEqual(`${record.id}: resume`, record.resume, undefined);
    isEqual(`${record.id}: taints`, nodes.get(record.id), []);
    const files = readdirSync(join(folder, record.id));
    for (const name of [instanceFiles.memory, instanceFiles.devices, instanceFiles.parked])
      if (files.includes(name)) problems.push(`${record.id} runs and still has ${name}`);
  }
  const { members = [] } = (await provider.standby.readStandby(pool)) ?? {};
  for (const tier of STANDBY_TIERS) {
    const ofTier = members.filter((member) => member.tier === tier);
    isEqual(
      tier,
      ofTier.map(({ state }) => state),
      Array(wanted.counts[tier]).fill('ready'),
    );
  }
  return problems;
}

/** Its pool keeps one of each tier; none is prepared yet. */
export async function keepingWorld(changes: Partial<QemuContext> = {}): Promise<StandbyWorld> {
  const world = await standbyWorld(changes);
  await world.provider.standby.setStandby(world.pool, { counts: { paused: 1, frozen: 1, stopped: 1 } });
  return world;
}

/** A world in which the pool keeps one parked instance of this tier. */
export async function parkedWorld(tier: StandbyTier, changes: Partial<QemuContext> = {}): Promise<StandbyWorld> {
  const world = await standbyWorld(changes);
  await world.provider.standby.setStandby(world.pool, { counts: { ...none, [tier]: 1 } });
  await world.provider.standby.fillStandby(world.pool);
  world.calls.length = 0;
  return world;
}
