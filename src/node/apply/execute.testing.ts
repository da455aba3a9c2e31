// node/apply/execute.testing.ts: a world in which steps are executed, and which writes down what they did.
import type { Argv, CommandResult } from '../../base/command.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import type { Step } from '../desired/tree.ts';
import type { Look } from '../observe/look.ts';
import type { Probes, UnitHealth } from './contract.ts';
import type { Disk } from './disk.ts';
import { type ExecutionContext, execute } from './execute.ts';

export interface World {
  /** What was done, in order: commands as they were typed, writes as they were asked for. */
  done: string[];
  context: ExecutionContext;
}

/** `failing`: what a command that is typed so answers. */
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
  const disk: Disk = {
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
  const look: Look = {
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
    deps: { root: '/', clock: fakeClock(), disk, look, run, node, probes },
    staged: new Map(),
    isWayBack: false,
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
  steps: readonly Step[],
  over: Partial<Omit<ExecutionContext, 'deps'>> = {},
): Promise<string[]> {
  const { done, context } = aWorld(over);
  await execute(steps, context);
  return done.filter((line) => !line.startsWith('#'));
}

export const restart = (unit: string): Step => ({ do: 'restart-unit', unit });
export const set = (kind: Extract<Step, { do: 'set' }>['kind'], key: string, value: string): Step => ({
  do: 'set',
  kind,
  key,
  value,
});
