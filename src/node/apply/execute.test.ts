import { describe, expect, it } from 'vitest';
import type { Argv, Ran } from '../../base/command.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { RULES_PATH } from '../desired/aspects/metadata-firewall.ts';
import type { Step } from '../desired/tree.ts';
import type { Look } from '../observe/look.ts';
import type { Probes, UnitHealth } from './contract.ts';
import type { Disk } from './disk.ts';
import { type ExecutionContext, execute } from './execute.ts';

interface World {
  /** What was done, in order: commands as they were typed, writes as they were asked for. */
  done: string[];
  context: ExecutionContext;
}

/** `failing`: what a command that is typed so answers. */
function aWorld(
  over: Partial<Omit<ExecutionContext, 'edges'>> = {},
  failing: Record<string, Partial<Ran>> = {},
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
  const run = async (argv: Argv, options?: { input?: string | Uint8Array }): Promise<Ran> => {
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
    edges: { root: '/', clock: fakeClock(), disk, look, run, node, probes },
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

async function doneBy(steps: readonly Step[], over: Partial<Omit<ExecutionContext, 'edges'>> = {}): Promise<string[]> {
  const { done, context } = aWorld(over);
  await execute(steps, context);
  return done.filter((line) => !line.startsWith('#'));
}

const restart = (unit: string): Step => ({ do: 'restart-unit', unit });
const set = (kind: Extract<Step, { do: 'set' }>['kind'], key: string, value: string): Step => ({
  do: 'set',
  kind,
  key,
  value,
});

describe('steps', () => {
  it('have no MTU to set while there is no network, and fail by that as little as the rest', async () => {
    const { done, context } = aWorld();
    const look: Look = { ...context.edges.look, text: () => undefined };
    await execute([set('mtu', '', '9000'), restart('a.service')], { ...context, edges: { ...context.edges, look } });
    expect(done.filter((line) => line.startsWith('setKernelValue'))).toEqual([]);
    expect(done.some((line) => /^systemctl .*a\.service$/.test(line))).toBe(true);
  });

  it('wait for the network to come up before they set its MTU', async () => {
    const { done, context } = aWorld();
    let looks = 0;
    const text = (path: string) => (++looks > 20 ? context.edges.look.text(path) : undefined);
    await execute([set('mtu', '', '9000')], {
      ...context,
      edges: { ...context.edges, look: { ...context.edges.look, text } },
    });
    expect(done).toContain('setKernelValue /sys/class/net/eth7/mtu 9000');
  });

  it.each<[string, Step[], string[]]>([
    ['a kernel setting', [set('sysctl', 'vm.max_map_count', '1')], ['setKernelValue /proc/sys/vm/max_map_count 1']],
    ['a host name', [set('host-name', '', 'node-1')], ['setKernelValue /proc/sys/kernel/hostname node-1']],
    ['an MTU', [set('mtu', '', '9000')], ['setKernelValue /sys/class/net/eth7/mtu 9000']],
    ['modules', [set('module', 'a', 'loaded'), set('module', 'b', 'loaded')], ['modprobe --all -- a b']],
    ['rules', [set('firewall', 't', 'x')], [`nft -f ${RULES_PATH}`]],
    ['no rules', [{ do: 'clear', kind: 'firewall', key: 't' }], ['nft -f - < table inet t;delete table inet t;']],
    [
      'a label',
      [set('label', 'tier', 'a'), { do: 'clear', kind: 'label', key: 'b' }],
      ['label tier=a', 'label b=undefined'],
    ],
    [
      'swap',
      [set('swap', '/var/lib/new', '4096')],
      [
        'remove /var/lib/new',
        'create /var/lib/new',
        'fallocate --length 4096 /var/lib/new',
        'mkswap /var/lib/new',
        'swapon /var/lib/new',
      ],
    ],
    [
      'no swap of a daemon that is gone',
      [{ do: 'clear', kind: 'swap', key: '/var/lib/shown-otherwise' }],
      ['swapoff /var/lib/shown-otherwise', 'remove /var/lib/shown-otherwise'],
    ],
    ['no swap', [{ do: 'clear', kind: 'swap', key: '/var/lib/on' }], ['swapoff /var/lib/on', 'remove /var/lib/on']],
    ['reading units', [{ do: 'daemon-reload' }], ['systemctl daemon-reload']],
    ['trust', [{ do: 'update-trust' }], ['update-ca-certificates']],
    [
      'temporary files',
      [{ do: 'apply-tmpfiles', path: '/etc/tmpfiles.d/a' }],
      ['systemd-tmpfiles --create -- /etc/tmpfiles.d/a'],
    ],
    [
      'units that are switched on',
      [set('unit-enabled', 'a', 'yes'), set('unit-enabled', 'b', 'yes')],
      ['systemctl reenable -- a b'],
    ],
    ['units that are switched off', [set('unit-enabled', 'a', 'no')], ['systemctl disable -- a']],
    [
      'units that start',
      [set('unit-active', 'a', 'yes'), { do: 'start-unit', unit: 'b' }],
      ['systemctl start -- a', 'systemctl start -- b'],
    ],
    ['units that stop', [set('unit-active', 'a', 'no')], ['systemctl stop -- a']],
    ['a reload', [{ do: 'reload-unit', unit: 'ssh' }], ['systemctl try-reload-or-restart -- ssh']],
    ['all restarts at once', [restart('a'), restart('b')], ['systemctl restart -- a b']],
    [
      'files that go',
      [
        { do: 'remove-file', path: '/etc/a' },
        { do: 'remove-state', path: '/var/b' },
        { do: 'remove-folder', path: '/etc/c' },
      ],
      ['remove /etc/a', 'remove /var/b', 'removeFolder /etc/c'],
    ],
    ['drain and back', [{ do: 'drain' }, { do: 'uncordon' }], ['drain', 'uncordon']],
  ])('%s', async (_what, steps, expected) => {
    expect(await doneBy(steps)).toEqual(expected);
  });

  it('take new files from where they wait, and leave alone those that are there already', async () => {
    const file = { content: 'x', encoding: 'utf8', mode: 0o644, uid: 0, gid: 0 } as const;
    const steps: Step[] = [
      { do: 'make-folder', path: '/etc/a' },
      { do: 'write-file', path: '/etc/a/b', ...file },
      { do: 'write-file', path: '/etc/a/c', ...file },
    ];
    expect(await doneBy(steps, { staged: new Map([['/etc/a/b', '/etc/a/.new']]) })).toEqual([
      'rename /etc/a/.new /etc/a/b',
    ]);
  });

  it('wait for no unit before kubelet runs: it may wait for us', async () => {
    const steps = [restart('containerd.service'), set('unit-active', 'a', 'yes'), set('unit-enabled', 'a', 'yes')];
    expect(await doneBy(steps, { isBeforeKubelet: true })).toEqual([
      'systemctl --no-block restart -- containerd.service',
      'systemctl --no-block start -- a',
      'systemctl reenable -- a',
    ]);
  });

  it('in a later boot restart only what has started, and drain nothing', async () => {
    expect(await doneBy([{ do: 'drain' }, restart('a')], { isLaterBoot: true })).toEqual([
      'systemctl try-restart -- a',
    ]);
  });

  it('are timed under names that stay', async () => {
    const { done, context } = aWorld();
    await execute(
      [
        { do: 'make-folder', path: '/a' },
        { do: 'remove-file', path: '/b' },
        { do: 'daemon-reload' },
        restart('a'),
        restart('b'),
      ],
      context,
    );
    expect(done.filter((line) => line.startsWith('#'))).toEqual(['# write-files', '# daemon-reload', '# restart a b']);
  });
});

describe('a step that fails', () => {
  it.each<[string, Step, string, Partial<Ran>, string]>([
    ['a unit', restart('a'), 'systemctl restart -- a', { code: 1, stderr: 'it crashed\nmore' }, 'verify/unit-failed'],
    ['a module', set('module', 'a', 'loaded'), 'modprobe --all -- a', { code: 1 }, 'apply/command-failed'],
    [
      'a program that is not there',
      { do: 'update-trust' },
      'update-ca-certificates',
      { outcome: 'missing', code: null },
      'apply/command-failed',
    ],
    ['a drain', { do: 'drain' }, 'drain', {}, 'apply/drain-failed'],
    [
      'room for swap',
      set('swap', '/var/lib/a', '1'),
      'fallocate --length 1 /var/lib/a',
      { code: 1 },
      'apply/disk-full',
    ],
  ])('ends the change: %s', async (_what, step, typed, answer, code) => {
    const { done, context } = aWorld({}, { [typed]: answer });
    await expect(execute([step, { do: 'daemon-reload' }], context)).rejects.toMatchObject({ name: 'StepFailed', code });
    expect(done).not.toContain('systemctl daemon-reload');
  });

  it('does not empty a node whose kubelet does not run: nobody would end a pod', async () => {
    const { done, context } = aWorld({}, { kubelet: {} });
    await execute([{ do: 'drain' }, { do: 'daemon-reload' }], context);
    expect(done.filter((line) => !line.startsWith('#'))).toEqual(['systemctl daemon-reload']);
  });

  it('leaves no swap file behind', async () => {
    const { done, context } = aWorld({}, { 'mkswap /var/lib/a': { code: 1 } });
    await expect(execute([set('swap', '/var/lib/a', '1')], context)).rejects.toThrow('mkswap');
    expect(done.at(-1)).toBe('remove /var/lib/a');
  });

  it('does not stop a way back, which clears what systemd holds against a unit', async () => {
    const { done, context } = aWorld({ isWayBack: true }, { 'systemctl restart -- a': { code: 1 }, drain: {} });
    const { troubles } = await execute([{ do: 'drain' }, restart('a'), { do: 'daemon-reload' }], context);
    expect(troubles).toEqual(['the node could not be drained: drain fails', 'systemctl restart -- a: exit code 1']);
    expect(done.filter((line) => line.startsWith('systemctl'))).toEqual([
      'systemctl reset-failed -- a',
      'systemctl restart -- a',
      'systemctl daemon-reload',
    ]);
  });

  it('is no failure of the change when only the Node does not hear of it', async () => {
    const { context } = aWorld({}, { uncordon: {}, 'label a=b': {} });
    expect(await execute([set('label', 'a', 'b'), { do: 'uncordon' }], context)).toMatchObject({ owesUncordon: true });
  });
});
