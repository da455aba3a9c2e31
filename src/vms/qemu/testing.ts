// vms/qemu/testing.ts: local pools without QEMU: fake machines, guests and tools.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import type { Argv, CommandResult, RunCommand } from '../../base/command.ts';
import { Secret } from '../../base/secret.ts';
import type { QemuContext } from './context.ts';
import type { CallAgent, GuestAgent } from './guest/guest-agent.ts';
import { instanceFiles } from './home/layout.ts';
import { type PublishSpec, publishVersion } from './images/make-version.ts';
import type { PoolSpec, QemuProvider } from './local-provider.ts';
import { type Conversation, NotAnswering } from './machine/line-socket.ts';
import type { MachineRef, MachineState, Machines } from './machine/machines.ts';
import type { JoinCluster } from './pools/join-cluster.ts';
import { providerIn } from './qemu-provider.ts';

export interface Lab {
  context: QemuContext;
  provider: QemuProvider;
  machines: FakeMachines;
  /** Every tool command that ran. */
  ran: string[][];
  end(): void;
}

/** A new home folder, with real kernel locks. */
export function makeLab(changes: Partial<QemuContext> = {}): Lab {
  const home = mkdtempSync(join(tmpdir(), 'headstart-pools-'));
  const machines = fakeMachines();
  const ran: string[][] = [];
  let serial = 0;
  const context: QemuContext = {
    home,
    clock: systemClock,
    run: fakeTools(ran),
    metadataCommand: ['/bin/false'],
    relayCommand: ['/bin/false'],
    stopGraceMs: 0,
    accelerator: 'tcg',
    machines,
    agent: silentAgent,
    newVmId: () => `00000000-0000-4000-8000-${String(++serial).padStart(12, '0')}`,
    freeBytes: async () => 2 ** 40,
    ...changes,
  };
  return { context, provider: providerIn(context), machines, ran, end: () => rmSync(home, { recursive: true }) };
}

/** A cluster that admits every instance and never refuses. */
export function standInCluster(changes: Partial<JoinCluster> = {}): JoinCluster {
  const server = { address: '168.0.0.10', port: 6443, to: { host: '127.0.0.1', port: 6443 } };
  return {
    admit: async () => ({ server, credential: new Secret('x') }),
    awaitReady: async () => undefined,
    isReady: async () => true,
    wasReady: () => false,
    server: () => server,
    reserve: async () => undefined,
    readSeed: async (_, { id }) => ({ providerId: `qemu:///${id}`, labels: {}, annotations: {}, taints: [] }),
    createNode: async () => undefined,
    release: async () => undefined,
    removeNode: async () => undefined,
    forgetNode: async () => undefined,
    ...changes,
  };
}

export const size = { cpus: 1, memoryMb: 64, diskGb: 1 };

const traits = { osState: 'generalized', generation: 'V2', architecture: 'x64', securityType: 'Standard' } as const;
export const emptyDefinition: PublishSpec['definition'] = {
  ...{ gallery: 'headstart', name: 'empty', publisher: 'headstart', offer: 'empty', sku: 'empty' },
  ...traits,
};

/** Publishes a version whose files contain its name, and returns its id. */
export async function publishEmpty({ context }: Pick<Lab, 'context'>, name = '1.0.0'): Promise<string> {
  const [disk, vmlinux, initrd] = ['disk', 'vmlinux', 'initrd'].map((part) => {
    const path = join(context.home, `${part}-${name}`);
    writeFileSync(path, `${part} ${name}`);
    return path;
  });
  const files = { disk: disk!, kernel: { vmlinux: vmlinux!, initrd: initrd! } };
  return publishVersion(context, { definition: emptyDefinition, name, tags: {} }, files);
}

export function poolSpec(image: string, changes: Partial<PoolSpec> = {}): PoolSpec {
  return {
    name: 'web',
    image: { kind: 'version', id: image },
    extensions: [],
    size,
    services: [],
    tags: {},
    ...changes,
  };
}

export interface FakeMachines extends Machines {
  launched: { folder: string; argv: readonly string[] }[];
  states: Map<string, MachineState>;
  ended: string[];
  failNextLaunch?: Error | undefined;
}

export function fakeMachines(): FakeMachines {
  const states = new Map<string, MachineState>();
  const stateOf = ({ vmId }: MachineRef) => states.get(vmId) ?? 'off';
  return {
    launched: [],
    states,
    ended: [],
    state: async (machine) => stateOf(machine),
    async launch(machine, argv) {
      const failure = this.failNextLaunch;
      this.failNextLaunch = undefined;
      if (failure) throw failure;
      this.launched.push({ folder: machine.folder, argv });
      states.set(machine.vmId, 'running');
    },
    forwardedPorts: async (machine) => new Map(stateOf(machine) === 'off' ? [] : [[22, 2222]]),
    reset: async () => undefined,
    pause: async ({ vmId }) => void states.set(vmId, 'paused'),
    resume: async ({ vmId }) => void states.set(vmId, 'running'),
    async freeze({ folder, vmId }) {
      for (const name of [instanceFiles.memory, instanceFiles.devices]) writeFileSync(join(folder, name), vmId);
      states.delete(vmId);
    },
    load: async ({ vmId }) => void states.set(vmId, 'paused'),
    build: async () => '7.2.0',
    pressPower: async () => undefined,
    async end(machine) {
      if (stateOf(machine) !== 'off') this.ended.push(machine.vmId);
      states.delete(machine.vmId);
    },
  };
}

export const silentAgent: GuestAgent = {
  talk: () => Promise.reject(new NotAnswering('no agent')),
  shutDown: () => Promise.reject(new NotAnswering('no agent')),
};

export type AgentAnswer = (args: Record<string, unknown>) => unknown;

export function answeringAgent(answers: Readonly<Record<string, AgentAnswer>>): GuestAgent & { commands: string[] } {
  const commands: string[] = [];
  const ask: CallAgent = async (command, args = {}) => {
    commands.push(command);
    const answer = answers[command];
    if (!answer) throw new NotAnswering(`no answer to ${command}`);
    return answer(args);
  };
  return {
    commands,
    talk: async (_folder, { signal }, work) => {
      signal?.throwIfAborted();
      return work(ask);
    },
    shutDown: async () => void (await ask('guest-shutdown')),
  };
}

/** A "disk" is a text file; the first line of an overlay names its backing file. */
export function fakeTools(ran: string[][]): RunCommand {
  const tools: Readonly<Record<string, (args: string[]) => string>> = {
    'qemu-img': fakeQemuImg,
    cp: (args) => {
      const [from, to] = args.slice(-2);
      copyFileSync(from!, to!);
      return '';
    },
    genisoimage: (args) => {
      writeFileSync(args[args.indexOf('-output') + 1]!, readFileSync(args.at(-1)!));
      return '';
    },
    'ssh-keygen': (args) => {
      const path = args.at(-1)!;
      writeFileSync(path, 'private', { mode: 0o600 });
      writeFileSync(`${path}.pub`, 'ssh-ed25519 AAAA headstart pool\n');
      return '';
    },
  };
  return async (argv, { signal } = {}) => {
    const [program, ...args] = withoutSetpriv(argv);
    ran.push([program, ...args]);
    if (signal?.aborted) return result(null, '', '');
    try {
      return result(0, tools[program]!(args), '');
    } catch (error) {
      return result(1, '', String(error));
    }
  };
}

function withoutSetpriv(argv: Argv): Argv {
  const [program, , , ...rest] = argv;
  return program === 'setpriv' ? (rest as unknown as Argv) : argv;
}

function fakeQemuImg([verb, ...args]: string[]): string {
  const [from, to] = args.slice(-2) as [string, string];
  const value = (flag: string) => args[args.indexOf(flag) + 1]!;
  switch (verb) {
    case 'create':
      writeFileSync(from, `below ${value('-b')}\n`);
      return '';
    case 'rebase':
      writeFileSync(to, readFileSync(to, 'utf8').replace(/^below .*/, `below ${value('-b')}`));
      return '';
    case 'convert':
      writeFileSync(to, flat(from));
      return '';
    case 'info':
      readFileSync(to);
      return JSON.stringify({ 'virtual-size': 2 ** 20, 'actual-size': 4096 });
    case 'measure':
      return JSON.stringify({ required: flat(to).length });
    default:
      throw new Error(`qemu-img ${verb}`);
  }
}

function flat(file: string): string {
  const text = readFileSync(file, 'utf8');
  const below = /^below (.*)\n/.exec(text);
  if (!below) return text;
  const backing = resolve(file, '..', below[1]!);
  if (!existsSync(backing)) throw new Error(`the backing file of ${file} does not exist`);
  return flat(backing) + text.slice(below[0].length);
}

function result(code: number | null, stdout: string, stderr: string): CommandResult {
  return { outcome: code === null ? 'aborted' : 'exited', code, stdout: Buffer.from(stdout), stderr };
}

export interface SentCommand {
  execute: string;
  arguments?: Record<string, unknown>;
}

/** Answers from a list, or each command as it comes; hangs up when the list is empty. */
export function scripted(answers: readonly object[] | ((order: SentCommand) => string[])) {
  const lines: Buffer[] = Array.isArray(answers) ? answers.map((one) => Buffer.from(JSON.stringify(one))) : [];
  const orders: SentCommand[] = [];
  const conversation: Conversation = {
    send(bytes) {
      const order = JSON.parse(Buffer.from(bytes).toString('latin1').replace('\xff', '')) as SentCommand;
      orders.push(order);
      if (typeof answers === 'function') lines.push(...answers(order).map((text) => Buffer.from(text, 'latin1')));
    },
    async nextLine() {
      const line = lines.shift();
      if (!line) throw new NotAnswering('hung up');
      return line;
    },
  };
  return { conversation, sent: () => orders };
}
