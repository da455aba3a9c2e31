import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COLLECT_SCRIPT } from './collect-script.ts';
import { isKnown } from './identity.ts';
import { FACT_NAMES, type FactName, factsOfItem } from './items.ts';
import { judgeDistinct } from './judge-distinct.ts';
import { parseIdentity } from './parse-identity.ts';
import { addressLine, type FakeMachine, fakeMachine, kubeletPem, SECRET } from './testing.ts';

const copied =
  (path: string) =>
  (from: FakeMachine, to: FakeMachine): void =>
    to.put(path, from.read(path));

/** What makes the second machine share the item with the first one, and what else that copies. */
const PLANTED: Record<FactName, { plant(from: FakeMachine, to: FakeMachine): void; also?: FactName[] }> = {
  'machine-id': { plant: copied('etc/machine-id') },
  'boot-id': { plant: copied('proc/sys/kernel/random/boot_id') },
  'product-uuid': { plant: copied('sys/class/dmi/id/product_uuid') },
  'host-name': {
    plant: (from, to) => to.put('proc/sys/kernel/hostname', from.read('proc/sys/kernel/hostname').toUpperCase()),
  },
  'mac-address': { plant: copied('sys/class/net/eth0/address') },
  'ip-address': { plant: copied('addresses') },
  'dhcp-client': {
    plant: (from, to) => {
      const id = /CLIENTID=.*/.exec(from.read('run/systemd/netif/leases/2'))![0];
      to.put('run/systemd/netif/leases/2', to.read('run/systemd/netif/leases/2').replace(/CLIENTID=.*/, id));
    },
  },
  'dhcp-lease': { plant: copied('run/systemd/netif/leases/2'), also: ['dhcp-client'] },
  'ssh-host-key': {
    plant: (from, to) => {
      const [type, key] = from.read('etc/ssh/ssh_host_ed25519_key.pub').split(' ');
      to.put('etc/ssh/ssh_host_ed25519_key.pub', `${type} ${key} root@another-comment\n`);
    },
  },
  'kubelet-key': { plant: copied(PEM()), also: ['kubelet-certificate', 'node-name'] },
  'kubelet-certificate': { plant: copied(PEM()), also: ['kubelet-key', 'node-name'] },
  'node-name': { plant: (from, to) => to.put(PEM(), kubeletPem(from.identity().name)) },
  'random-seed': { plant: copied('var/lib/systemd/random-seed') },
  'random-bytes': { plant: copied('dev/urandom') },
  'invocation-id': {
    plant: (from, to) => {
      const link = 'run/systemd/units/invocation:containerd.service';
      rmSync(join(to.root, link));
      symlinkSync(readlinkSync(join(from.root, link)), join(to.root, link));
    },
  },
};

function PEM(): string {
  return 'var/lib/kubelet/pki/kubelet-client-current.pem';
}

describe('the collect script', () => {
  it('finds every item on a machine, and nothing in common of two', () => {
    const [a, b] = [fakeMachine('node-a').identity(), fakeMachine('node-b').identity()];
    expect(FACT_NAMES.filter((item) => !isKnown(a.facts[item]))).toEqual([]);
    expect(judgeDistinct([a, b])).toMatchObject({ isDistinct: true, shared: [], notes: [] });
  });

  it.each(FACT_NAMES)('finds that two machines share: %s', (item) => {
    const [a, b] = [fakeMachine('node-a'), fakeMachine('node-b')];
    const { plant, also = [] } = PLANTED[item];
    plant(a, b);
    const { shared, notes, isDistinct } = judgeDistinct([a.identity(), b.identity()]);
    expect(isDistinct).toBe(item === 'invocation-id');
    const found = [...shared, ...notes];
    expect(found.map((one) => one.item).sort()).toEqual([item, ...also].sort());
    for (const one of found) {
      expect(one.machines).toEqual(['node-a', 'node-b']);
      expect(one.remedy).toBe(factsOfItem(one.item).remedy);
    }
  });

  it('finds a lease that systemd-networkd did not ask for', () => {
    const lease = (address: string, id: string) =>
      `default-duid "${id}";\nlease {\n  fixed-address 10.0.0.9;\n}\nlease {\n  fixed-address ${address};\n  option dhcp-client-identifier ff:${id};\n}\n`;
    const [a, b] = [fakeMachine('node-a'), fakeMachine('node-b')];
    a.put('var/lib/dhcp/dhclient.eth0.leases', lease('10.9.9.1', '01:02'));
    b.put('var/lib/dhcp/dhclient.eth0.leases', lease('10.9.9.1', '01:03'));
    const { shared } = judgeDistinct([a.identity(), b.identity()]);
    expect(shared.map(({ item, what }) => [item, what])).toEqual([
      ['dhcp-lease', 'node-a and node-b share the DHCP lease: 10.9.9.1'],
    ]);
  });

  it('reads the address of a bridge on the network card, and not of a bridge of pods', () => {
    const machine = fakeMachine('node-a');
    mkdirSync(join(machine.root, 'sys/class/net/br0/lower_eth0'), { recursive: true });
    mkdirSync(join(machine.root, 'sys/class/net/cni0/lower_veth1'), { recursive: true });
    machine.put('addresses', addressLine('br0', '10.0.0.7') + addressLine('cni0', '10.244.0.1'));
    expect(machine.identity().facts['ip-address']).toEqual({ values: [{ value: '10.0.0.7', of: 'br0' }] });
  });

  it('says why an item is unknown: its file is missing, cannot be read or has no value', () => {
    const machine = fakeMachine('node-a');
    rmSync(join(machine.root, 'var/lib/systemd/random-seed'));
    rmSync(join(machine.root, PEM()));
    rmSync(join(machine.root, 'sys/class/dmi/id/product_uuid'));
    mkdirSync(join(machine.root, 'sys/class/dmi/id/product_uuid')); // cannot be read, also not by root
    machine.put('etc/machine-id', 'uninitialized\n');
    machine.put('bin/ip', '#!/bin/sh\nexit 1\n');
    const { facts } = machine.identity();
    expect(facts).toMatchObject({
      'machine-id': { unknown: 'its value is not valid' },
      'product-uuid': { unknown: '/sys/class/dmi/id/product_uuid is empty or cannot be read' },
      'random-seed': { unknown: '/var/lib/systemd/random-seed does not exist' },
      'kubelet-key': { unknown: `/${PEM()} does not exist` },
      'ip-address': { unknown: 'the program ip is not installed or failed' },
    });
  });

  it('prints no secret, and leaves the machine as it was', () => {
    const machine = fakeMachine('node-a');
    const before = contentOf(machine.root);
    const output = machine.output();
    expect(contentOf(machine.root)).toEqual(before);
    expect(output).not.toContain(SECRET);
    expect(output).not.toContain(machine.read('dev/urandom').slice(0, 16));
    expect(output).not.toContain(machine.read('var/lib/systemd/random-seed').slice(0, 16));
    const facts = JSON.stringify(parseIdentity('node-a', output));
    for (const path of ['etc/machine-id', 'proc/sys/kernel/random/boot_id', 'sys/class/dmi/id/product_uuid'])
      expect(facts).not.toContain(machine.read(path).trim());
  });

  it('starts at most five programs, and works without any file of a node', () => {
    const machine = fakeMachine('node-a');
    const started = join(machine.root, 'started');
    for (const program of ['ls', 'ip', 'head', 'sha256sum', 'date', 'sed', 'cat', 'awk', 'grep', 'readlink']) {
      const real = execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
      machine.put(`bin/${program}`, `#!/bin/sh\necho ${program} >>'${started}'\nexec ${real} "$@"\n`);
      execFileSync('chmod', ['755', join(machine.root, `bin/${program}`)]);
    }
    machine.output();
    expect(readFileSync(started, 'utf8').trim().split('\n').sort()).toEqual(['date', 'head', 'ip', 'ls', 'sha256sum']);
    const bare = spawnSync('sh', ['-c', COLLECT_SCRIPT, 'sh', '/nosuch'], { encoding: 'utf8' });
    expect({ status: bare.status, stderr: bare.stderr }).toEqual({ status: 0, stderr: '' });
    const { facts } = parseIdentity('x', bare.stdout)!.identity;
    expect(FACT_NAMES.filter((item) => isKnown(facts[item]))).toEqual([]);
  });
});

const contentOf = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path, readFileSync(path, 'utf8')]);
