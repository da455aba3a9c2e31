import { describe, expect, it } from 'vitest';
import type { Argv, CommandResult } from '../../base/command.ts';
import { KUBECONFIG_PATH } from '../desired/aspects/join.ts';
import type { Desired, LiveId } from '../desired/tree.ts';
import { firstInterface, isSwapOn, type LiveSources, seenValues } from './live-values.ts';
import type { Look } from './look.ts';

function aLook(texts: Record<string, string> = {}, over: Partial<Look> = {}): Look {
  const run = async (_: Argv): Promise<CommandResult> => ({
    outcome: 'missing',
    code: null,
    stdout: Buffer.alloc(0),
    stderr: '',
  });
  return {
    at: () => ({ kind: 'absent' }),
    isFolder: () => false,
    names: () => [],
    size: () => undefined,
    text: (path) => texts[path],
    run,
    ...over,
  };
}
const NOTHING: Desired = { files: new Map(), live: new Map(), kubeletRoot: '/var/lib/kubelet', problems: [] };
const seen = async (id: LiveId, look: Look, over: Partial<LiveSources> = {}) =>
  (await seenValues([id], { look, desired: NOTHING, units: new Map(), node: undefined, ...over })).get(id);

describe('a value of the running system', () => {
  it('is a kernel parameter with one space between its parts', async () => {
    const look = aLook({ '/proc/sys/net/ipv4/tcp_rmem': '4096\t131072\t6291456\n' });
    expect(await seen('sysctl net.ipv4.tcp_rmem', look)).toBe('4096 131072 6291456');
    expect(await seen('sysctl vm.none', look)).toBeUndefined();
  });

  it.each([
    ['is loaded', 'ip-vs', 'loaded'],
    ['is built in', 'overlay', 'loaded'],
    ['only begins the same', 'ip', undefined],
    ['is not there', 'absent', undefined],
  ])('is a module that %s', async (_, module, expected) => {
    const look = aLook({
      '/proc/modules': 'ip_vs 1 0\n',
      '/proc/sys/kernel/osrelease': '6.1.0\n',
      '/usr/lib/modules/6.1.0/modules.builtin': 'kernel/fs/overlayfs/overlay.ko\n',
    });
    expect(await seen(`module ${module}`, look)).toBe(expected);
  });

  it('is the MTU of the default route with the lowest metric', async () => {
    const routes = 'I\tD\tG\tF\tR\tU\tM\neth1\t00000000\t0\t3\t0\t0\t200\neth0\t00000000\t0\t3\t0\t0\t100\n';
    const look = aLook({ '/proc/net/route': routes, '/sys/class/net/eth0/mtu': '1500\n' });
    expect([firstInterface(look), await seen('mtu ', look)]).toEqual(['eth0', '1500']);
    expect(firstInterface(aLook({ '/proc/net/route': 'eth0\t0000000A\t0\t1\t0\t0\t0\n' }))).toBeUndefined();
  });

  it.each([
    ['enabled', { enabled: 'yes', isActive: true, isDone: false }, 'yes', 'yes'],
    ['down', { enabled: 'no', isActive: false, isDone: false }, 'no', 'no'],
    ['done', { enabled: 'yes', isActive: false, isDone: true }, 'yes', 'done'],
  ])('is a unit that is %s', async (_, unit, enabled, active) => {
    const units = new Map([['a.service', unit]]) as unknown as LiveSources['units'];
    expect(await seen('unit-enabled a.service', aLook(), { units })).toBe(enabled);
    expect(await seen('unit-active a.service', aLook(), { units })).toBe(active);
    expect(await seen('unit-active b.service', aLook(), { units })).toBeUndefined();
  });

  it('is a label or a taint only once the Node was read', async () => {
    const node = { labels: new Map([['tier', 'a']]), taints: new Map([['k:NoSchedule', 'v']]) };
    expect(await seen('label tier', aLook(), { node })).toBe('a');
    expect(await seen('taint k:NoSchedule', aLook(), { node })).toBe('v');
    expect(await seen('label tier', aLook())).toBeUndefined();
  });

  it('is a firewall only where nft knows the table', async () => {
    const answering = (code: number) =>
      aLook({}, { run: async () => ({ outcome: 'exited', code, stdout: Buffer.from('table'), stderr: '' }) });
    expect(await seen('firewall headstart', answering(1))).toBeUndefined();
    expect(await seen('firewall headstart', aLook())).toBeUndefined();
  });

  it('is the server in the kubeconfig, once kubelet has one', async () => {
    expect(await seen('kubeconfig ', aLook())).toBeUndefined();
    const kubeconfig = 'clusters:\n- cluster:\n    server: https://10.0.0.1:6443\n';
    expect(await seen('kubeconfig ', aLook({ [KUBECONFIG_PATH]: kubeconfig }))).toBe('https://10.0.0.1:6443');
  });
});

describe('swap', () => {
  const swaps = (shown: string, sizes: Record<string, number>) =>
    aLook({ '/proc/swaps': `Filename\n${shown} file 1 0 -2\n` }, { size: (path) => sizes[path] });

  it.each([
    ['at its own path', '/var/lib/a', {}, true],
    ['at the path it had below a mount of a daemon that is gone', '/a', { '/var/lib/a': 1 }, true],
    ['at a path where the image has a file', '/a', { '/var/lib/a': 1, '/a': 1 }, false],
    ['that is not a path', 'a', { '/var/lib/a': 1 }, false],
    ['of another name', '/var/lib/ba', { '/var/lib/a': 1 }, false],
  ])('shown %s: ours is %#', (_, shown, sizes, isOurs) => {
    expect(isSwapOn('/var/lib/a', swaps(shown, sizes as Record<string, number>))).toBe(isOurs);
  });
});
