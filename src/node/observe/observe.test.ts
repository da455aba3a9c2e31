import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../base/command.ts';
import { desiredState } from '../desired/desired.ts';
import { NOTHING_OWNED } from '../desired/tree.ts';
import type { NodeConfig } from '../document/config.ts';
import { aConfig, someFacts } from '../document/configs.testing.ts';
import { plan } from '../plan/plan.ts';
import { createHostReader } from './host-reader.ts';
import { type ObserveContext, observeNode } from './observe.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headstart-observe-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const noCommand: RunCommand = async () => ({ outcome: 'missing', code: null, stdout: Buffer.alloc(0), stderr: '' });

function put(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function see(over: Partial<NodeConfig> = {}, context: Partial<ObserveContext> = {}, run = noCommand) {
  const wanted = desiredState(aConfig(over), someFacts);
  return observeNode(createHostReader(root, run), wanted, NOTHING_OWNED, { nowMs: 0, ...context });
}

describe('observeNode', () => {
  it('finds nothing on an empty disk and changes nothing', async () => {
    const seen = await see();
    expect(seen).toMatchObject({ kubeletPhase: 'never-ran', hasCredential: false, isNodeKnown: false });
    expect([...seen.files.values()].every((file) => file.kind === 'absent')).toBe(true);
    expect(readdirSync(root)).toEqual([]);
  });

  it('reads the YAML configuration of the image and all drop-ins, including those in folders', async () => {
    put('/etc/kubernetes/kubelet/config.yaml', 'kind: KubeletConfiguration\nmaxPods: 30 # few\n');
    put('/etc/kubernetes/kubelet/config.d/10-a.conf', 'maxPods: 40\n');
    put('/etc/kubernetes/kubelet/config.d/b/c.conf', '{"port": 1}');
    put('/etc/kubernetes/kubelet/config.d/ignored.yaml', 'port: 2\n');
    put('/etc/kubernetes/kubelet/config.d/broken.conf', '{{{');
    const { kubelet } = await see();
    expect(kubelet.base).toEqual({ kind: 'KubeletConfiguration', maxPods: 30 });
    expect(Object.fromEntries(kubelet.dropIns)).toEqual({
      '/etc/kubernetes/kubelet/config.d/10-a.conf': { maxPods: 40 },
      '/etc/kubernetes/kubelet/config.d/b/c.conf': { port: 1 },
      '/etc/kubernetes/kubelet/config.d/broken.conf': {},
    });
  });

  it('reads values from the kernel', async () => {
    put('/proc/sys/vm/max_map_count', '65530\n');
    put('/proc/sys/net/ipv4/tcp_rmem', '4096\t131072\t6291456\n');
    put('/proc/sys/kernel/hostname', 'node-1\n');
    put('/proc/sys/kernel/osrelease', '6.1.0\n');
    put('/proc/modules', 'br_netfilter 32768 0 - Live 0x0\nip_vs 1 0\n');
    put('/usr/lib/modules/6.1.0/modules.builtin', 'kernel/fs/overlayfs/overlay.ko\n');
    put(
      '/proc/net/route',
      'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\neth1\t00000000\t0\t3\t0\t0\t200\neth0\t00000000\t0\t3\t0\t0\t100\neth0\t0000000A\t0\t1\t0\t0\t0\n',
    );
    put('/sys/class/net/eth0/mtu', '1500\n');
    put('/proc/swaps', 'Filename\tType\tSize\tUsed\tPriority\n/var/lib/swapfile file 1020 0 -2\n');
    put('/var/lib/swapfile', 'x'.repeat(4096));
    const { os, network } = aConfig();
    const none = { parameters: {} };
    const seen = await see({
      network: { ...network, mtu: 9000 },
      os: {
        ...os,
        sysctls: { 'vm.max_map_count': '1', 'net.ipv4.tcp_rmem': '1 2 3', 'kernel.none': '1' },
        modules: { br_netfilter: none, 'ip-vs': none, overlay: none, absent: none },
        swap: { file: '/var/lib/swapfile', sizeBytes: 4096, behavior: 'NoSwap' },
      },
    });
    expect(Object.fromEntries(seen.live)).toEqual({
      'host-name ': 'node-1',
      'module br_netfilter': 'loaded',
      'module ip-vs': 'loaded',
      'module overlay': 'loaded',
      'mtu ': '1500',
      'swap /var/lib/swapfile': '4096',
      'sysctl net.ipv4.tcp_rmem': '4096 131072 6291456',
      'sysctl vm.max_map_count': '65530',
    });
  });

  it('recognises its swap file by the path inside a mount of a daemon that has ended', async () => {
    const swap = { file: '/var/lib/swapfile', sizeBytes: 4096, behavior: 'NoSwap' } as const;
    const seen = async () => {
      const { live } = await see({ os: { ...aConfig().os, swap } });
      return live.get('swap /var/lib/swapfile');
    };
    put('/proc/swaps', 'Filename\tType\tSize\tUsed\tPriority\n/swapfile file 1020 0 -2\n');
    expect(await seen()).toBeUndefined();
    put('/var/lib/swapfile', 'x'.repeat(4096));
    expect(await seen()).toBe('4096');
    put('/swapfile', "the image's own");
    expect(await seen()).toBeUndefined();
    put('/proc/swaps', 'Filename\tType\tSize\tUsed\tPriority\nfile file 1020 0 -2\n/other/swapfile file 1 0 -2\n');
    expect(await seen()).toBeUndefined();
  });

  it('reports whether kubelet never ran, has not started in this boot, or has started', async () => {
    const started = (when: string): RunCommand => {
      const shown = `Id=kubelet.service\nLoadState=loaded\nActiveState=inactive\nUnitFileState=enabled\nExecMainStartTimestampMonotonic=${when}\n`;
      return async () => ({ outcome: 'exited', code: 0, stdout: Buffer.from(shown), stderr: '' });
    };
    expect((await see({}, {}, started('0'))).kubeletPhase).toBe('never-ran');
    put('/var/lib/kubelet/cpu_manager_state', '{}');
    expect((await see({}, {}, started('0'))).kubeletPhase).toBe('not-started');
    expect((await see({}, {}, started('24000000'))).kubeletPhase).toBe('running');
  });

  it('reads user and group ids from the node, without names that do not exist', async () => {
    put('/etc/passwd', 'root:x:0:0::/:/bin/sh\napp:x:1000:1000::/:/bin/sh\nbroken\nodd:x:y:0::/:\n');
    put('/etc/group', 'app:x:1001:\n');
    const file = { content: '', encoding: 'utf8', mode: 0o644, owner: 'app', group: 'app' } as const;
    const seen = await see({ files: { '/etc/x': file } });
    expect([seen.users.get('app'), seen.groups.get('app'), seen.users.get('root')]).toEqual([1000, 1001, 0]);
    expect(seen.users.has('odd')).toBe(false);
  });

  it('has labels and taints if the Node was read', async () => {
    const node = { labels: new Map([['tier', 'a']]), taints: new Map([['k:NoSchedule', '']]) };
    const seen = await see({ labels: { tier: 'b' }, taints: [{ key: 'k', effect: 'NoSchedule' }] }, { node });
    expect(seen.isNodeKnown).toBe(true);
    expect(seen.live.get('label tier')).toBe('a');
    expect(seen.live.get('taint k:NoSchedule')).toBe('');
  });

  it('reports a link in the path, so that nothing is written through it', async () => {
    mkdirSync(join(root, 'etc'));
    mkdirSync(join(root, 'elsewhere'));
    symlinkSync('../elsewhere', join(root, 'etc/kubernetes'));
    const wanted = desiredState(aConfig(), someFacts);
    const made = plan(await see(), wanted, NOTHING_OWNED);
    expect(made.problems).toContainEqual({
      reason: 'plan/obstructed',
      path: '/etc/kubernetes/pki/ca.crt',
      message: '/etc/kubernetes is a link or not a folder, and headstart does not follow links',
    });
    expect(made.steps).toEqual([]);
  });
});
