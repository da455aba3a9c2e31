import { describe, expect, it } from 'vitest';
import type { Argv, CommandResult } from '../../base/command.ts';
import { KUBECONFIG_PATH } from '../desired/aspects/join.ts';
import type { DesiredState, LiveId } from '../desired/tree.ts';
import type { HostReader } from './host-reader.ts';
import { firstInterface, isSwapOn, type LiveSources, readLiveValues } from './live-values.ts';

function aHost(texts: Record<string, string> = {}, over: Partial<HostReader> = {}): HostReader {
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
const NOTHING: DesiredState = { files: new Map(), live: new Map(), kubeletRoot: '/var/lib/kubelet', problems: [] };
const seen = async (id: LiveId, host: HostReader, over: Partial<LiveSources> = {}) =>
  (await readLiveValues([id], { host, desired: NOTHING, units: new Map(), node: undefined, ...over })).get(id);

describe('readLiveValues', () => {
  it('reads a kernel parameter with single spaces', async () => {
    const host = aHost({ '/proc/sys/net/ipv4/tcp_rmem': '4096\t131072\t6291456\n' });
    expect(await seen('sysctl net.ipv4.tcp_rmem', host)).toBe('4096 131072 6291456');
    expect(await seen('sysctl vm.none', host)).toBeUndefined();
  });

  it.each([
    ['is loaded', 'ip-vs', 'loaded'],
    ['is built into the kernel', 'overlay', 'loaded'],
    ['only has the same prefix', 'ip', undefined],
    ['does not exist', 'absent', undefined],
  ])('reads a module that %s', async (_, module, expected) => {
    const host = aHost({
      '/proc/modules': 'ip_vs 1 0\n',
      '/proc/sys/kernel/osrelease': '6.1.0\n',
      '/usr/lib/modules/6.1.0/modules.builtin': 'kernel/fs/overlayfs/overlay.ko\n',
    });
    expect(await seen(`module ${module}`, host)).toBe(expected);
  });

  it('reads the MTU of the default route with the lowest metric', async () => {
    const routes = 'I\tD\tG\tF\tR\tU\tM\neth1\t00000000\t0\t3\t0\t0\t200\neth0\t00000000\t0\t3\t0\t0\t100\n';
    const host = aHost({ '/proc/net/route': routes, '/sys/class/net/eth0/mtu': '1500\n' });
    expect([firstInterface(host), await seen('mtu ', host)]).toEqual(['eth0', '1500']);
    expect(firstInterface(aHost({ '/proc/net/route': 'eth0\t0000000A\t0\t1\t0\t0\t0\n' }))).toBeUndefined();
  });

  it.each([
    ['enabled', { enabled: 'yes', isActive: true, isDone: false }, 'yes', 'yes'],
    ['down', { enabled: 'no', isActive: false, isDone: false }, 'no', 'no'],
    ['done', { enabled: 'yes', isActive: false, isDone: true }, 'yes', 'done'],
  ])('reads a unit that is %s', async (_, unit, enabled, active) => {
    const units = new Map([['a.service', unit]]) as unknown as LiveSources['units'];
    expect(await seen('unit-enabled a.service', aHost(), { units })).toBe(enabled);
    expect(await seen('unit-active a.service', aHost(), { units })).toBe(active);
    expect(await seen('unit-active b.service', aHost(), { units })).toBeUndefined();
  });

  it('reads labels and taints only if the Node was read', async () => {
    const node = { labels: new Map([['tier', 'a']]), taints: new Map([['k:NoSchedule', 'v']]) };
    expect(await seen('label tier', aHost(), { node })).toBe('a');
    expect(await seen('taint k:NoSchedule', aHost(), { node })).toBe('v');
    expect(await seen('label tier', aHost())).toBeUndefined();
  });

  it('reads a firewall only if nft has the table', async () => {
    const answering = (code: number) =>
      aHost({}, { run: async () => ({ outcome: 'exited', code, stdout: Buffer.from('table'), stderr: '' }) });
    expect(await seen('firewall headstart', answering(1))).toBeUndefined();
    expect(await seen('firewall headstart', aHost())).toBeUndefined();
  });

  it('reads the server in the kubeconfig, once kubelet has one', async () => {
    expect(await seen('kubeconfig ', aHost())).toBeUndefined();
    const kubeconfig = 'clusters:\n- cluster:\n    server: https://10.0.0.1:6443\n';
    expect(await seen('kubeconfig ', aHost({ [KUBECONFIG_PATH]: kubeconfig }))).toBe('https://10.0.0.1:6443');
  });
});

describe('isSwapOn', () => {
  const swaps = (shown: string, sizes: Record<string, number>) =>
    aHost({ '/proc/swaps': `Filename\n${shown} file 1 0 -2\n` }, { size: (path) => sizes[path] });

  it.each([
    ['at its path', '/var/lib/a', {}, true],
    ['at the path inside a mount of a daemon that has ended', '/a', { '/var/lib/a': 1 }, true],
    ['at a path where the image has a file', '/a', { '/var/lib/a': 1, '/a': 1 }, false],
    ['that is not a path', 'a', { '/var/lib/a': 1 }, false],
    ['of another name', '/var/lib/ba', { '/var/lib/a': 1 }, false],
  ])('recognises our swap file only if it is ours, shown %s', (_, shown, sizes, isOurs) => {
    expect(isSwapOn('/var/lib/a', swaps(shown, sizes as Record<string, number>))).toBe(isOurs);
  });
});
