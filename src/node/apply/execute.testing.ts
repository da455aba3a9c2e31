// node/apply/execute.testing.ts: dependencies that record what the steps of a plan do.
import type { Argv, CommandResult } from '../../base/command.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import type { PlanStep } from '../desired/tree.ts';
import type { HostReader } from '../observe/host-reader.ts';
import type { Probes, UnitHealth } from './contract.ts';
import type { NodeDisk } from './disk.ts';
import { type ExecutionContext, execute } from './execute.ts';

export interface World {
  /** Commands and writes, in order. */
  done: string[];
  context: ExecutionContext;
}

/** `failing`: results by command line. */
export function aWorld(
  over: Partial<Omit<ExecutionContext, 'deps'>> = {},
  failing: Record<string, Partial<CommandResult>> = {},
): World {
  const done: string[] = [];
  const record =
    (what: string) =>
    (...args: unknown[]) => {
      done.push([what, ...args.filter((arg) => typeof arg === 'string')].join(' '));
    };
  const disk: NodeDisk = {
    create: record('create'),
    makeLink: record('makeLink'),
    makeFolder: record('makeFolder'),
    rename: record('rename'),
    remove: record('remove'),
    removeFolder: record('removeFolder'),
    syncFiles: async () => {},
    syncFolders: async () => {},
    setKernelValue: record('setKernelValue'),
  };
  const run = async (argv: Argv, options?: { input?: string | Uint8Array }): Promise<CommandResult> => {
    const typed = argv.join(' ');
    done.push(options?.input === undefined ? typed : `${typed} < ${String(options.input).replaceAll('\n', ';')}`);
    return { outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '', ...failing[typed] };
  };
  const host: HostReader = {
    at: () => ({ kind: 'absent' }),
    isFolder: () => false,
    names: () => [],
    size: (path) => (path === '/var/lib/shown-otherwise' ? 1 : undefined),
    text: (path) =>
      ({
        '/proc/swaps': 'Filename\n/var/lib/on file 1 0 -2\n/shown-otherwise file 1 0 -3\n',
        '/proc/net/route': 'I\tD\neth7\t00000000\t0\t3\t0\t0\t1\n',
      })[path],
    run,
  };
  const fails = (what: string) => async () => {
    done.push(what);
    if (failing[what]) throw new Error(`${what} fails`);
  };
  const node = {
    seen: async () => undefined,
    drain: fails('drain'),
    uncordon: fails('uncordon'),
    setLabel: async (key: string, value: string | undefined) => fails(`label ${key}=${value}`)(),
  };
  const kubelet: UnitHealth = { state: failing.kubelet ? 'failed' : 'active', restarts: 0 };
  const probes = { units: async () => new Map([['kubelet.service', kubelet]]) } as unknown as Probes;
  const context: ExecutionContext = {
    deps: { root: '/', clock: fakeClock(), disk, host, run, node, probes },
    staged: new Map(),
    isRollback: false,
    isBeforeKubelet: false,
    isLaterBoot: false,
    time: (name, act) => {
      done.push(`# ${name}`);
      return act();
    },
    ...over,
  };
  return { done, context };
}

export async function doneBy(
  steps: readonly PlanStep[],
  over: Partial<Omit<ExecutionContext, 'deps'>> = {},
): Promise<string[]> {
  const { done, context } = aWorld(over);
  await execute(steps, context);
  return done.filter((line) => !line.startsWith('#'));
}

export const restart = (unit: string): PlanStep => ({ do: 'restart-unit', unit });
export const set = (kind: Extract<PlanStep, { do: 'set' }>['kind'], key: string, value: string): PlanStep => ({
  do: 'set',
  kind,
  key,
  value,
});
