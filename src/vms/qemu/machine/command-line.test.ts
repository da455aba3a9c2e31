import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { qemuArgv, type VmFacts } from './command-line.ts';

const facts: VmFacts = {
  id: 'web-000001',
  vmId: '6b1f0f1e-1f2a-4c4c-9a57-0123456789ab',
  accelerator: 'tcg',
  size: { cpus: 2, memoryMb: 1024, diskGb: 4 },
  address: '168.1.0.4',
  mac: '52:54:00:00:00:01',
  services: [],
  metadataCommand: ['/usr/bin/node', '/opt/headstart/stdio.ts'],
  relayCommand: ['/usr/bin/node', '/opt/headstart/relay.ts'],
  kernel: { vmlinux: '../../v/vmlinux', initrd: '../../v/initrd.cpio' },
  cloudInit: 'on',
};

describe('qemuArgv', () => {
  it('gives the guest its id as on Azure, its kernel, and only the listed devices', () => {
    const argv = qemuArgv(facts);
    expect(argumentOf(argv, '-uuid')).toBe(facts.vmId);
    expect(argv).toContain(`type=1,manufacturer=Microsoft Corporation,product=Virtual Machine,uuid=${facts.vmId}`);
    expect(argv).toContain('type=3,asset=7783-7084-3265-9085-8269-3286-77');
    expect(argumentOf(argv, '-kernel')).toBe('../../v/vmlinux');
    expect(argumentOf(argv, '-append')).toContain('ci.datasource=Azure');
    for (const flag of ['-nodefaults', '-no-user-config']) expect(argv).toContain(flag);
    expect(argv).not.toContain('-no-reboot');
  });

  it('lets the firmware boot the disk of an image without a kernel', () => {
    const { kernel: _, ...bare } = facts;
    for (const flag of ['-kernel', '-initrd', '-append']) expect(qemuArgv(bare)).not.toContain(flag);
  });

  it("sets the host name of a guest without cloud-init on the kernel's command line", () => {
    expect(argumentOf(qemuArgv({ ...facts, cloudInit: 'off' }), '-append')).toMatch(
      / cloud-init=disabled systemd\.hostname=web-000001$/,
    );
    expect(argumentOf(qemuArgv(facts), '-append')).not.toContain('hostname');
  });

  it("sets the root partition and the image's kernel arguments, each once", () => {
    const root = 'PARTUUID=11223344-5566-8788-89aa-bbccddeeff00';
    const line = argumentOf(qemuArgv({ ...facts, root, kernelArgs: ['console=ttyS0', 'panic=10'] }), '-append')!;
    expect(line).toMatch(new RegExp(`^root=${root} rw console=ttyS0 panic=10 `));
    expect(line.match(/console=ttyS0/g)).toHaveLength(1);
    expect(argumentOf(qemuArgv(facts), '-append')).toMatch(/^root=\/dev\/vda rw /);
  });

  it('uses UEFI firmware that discards its variables, and never together with a kernel', () => {
    const firmware = { code: '/usr/share/OVMF/CODE,1.fd', variables: '/usr/share/OVMF/VARS.fd' };
    const { kernel: _, ...bare } = facts;
    const drives = qemuArgv({ ...bare, firmware }).filter((one) => one.startsWith('if=pflash'));
    expect(drives).toEqual([
      'if=pflash,unit=0,format=raw,file=/usr/share/OVMF/CODE,,1.fd,readonly=on',
      'if=pflash,unit=1,format=raw,file=/usr/share/OVMF/VARS.fd,snapshot=on',
    ]);
    expect(qemuArgv({ ...facts, firmware }).join(' ')).not.toContain('pflash');
    expect(qemuArgv({ ...bare, firmware })).toContain('virtio-blk-pci,drive=d0,bootindex=0');
    expect(qemuArgv(facts).join(' '), 'QEMU refuses it with a kernel').not.toContain('bootindex');
  });

  it('uses KVM when it works', () => {
    expect(argumentOf(qemuArgv({ ...facts, accelerator: 'kvm' }), '-accel')).toBe('kvm');
  });

  it('honours flushes: killing a guest must not corrupt its disk', () => {
    expect(qemuArgv(facts).find((one) => one.startsWith('file=disk.qcow2'))).toContain('cache=writeback');
  });

  it('restricts the network to metadata, wire server, services and ssh', () => {
    const to = { host: '127.0.0.1', port: 8080 };
    const net = netOf({ ...facts, services: [{ address: '168.0.0.100', port: 80, to }] });
    expect(net).toContainEqual(['restrict', 'on']);
    expect(net.filter(([key]) => key === 'hostfwd')).toEqual([['hostfwd', 'tcp:127.0.0.1:0-:22']]);
    expect(net.filter(([key]) => key === 'guestfwd').map(([, value]) => value!.split('-cmd:')[0])).toEqual([
      'tcp:169.254.169.254:80',
      'tcp:168.63.129.16:80',
      'tcp:168.0.0.100:80',
    ]);
  });

  it('escapes every word of a command, host and path inside its option', () => {
    const word = fc.string({ maxLength: 60 }).filter((text) => !/[\0-\x1f]/.test(text));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), word, (command, host) => {
        const services = [{ address: '168.0.0.100', port: 80, to: { host, port: 1 } }];
        const net = netOf({ ...facts, metadataCommand: command, relayCommand: command, services });
        expect(net.map(([key]) => key)).toEqual(PLAN);
        const commands = net.filter(([key]) => key === 'guestfwd').map(([, value]) => value!.split('-cmd:').slice(1));
        expect(commands.map((rest) => wordsOf(rest.join('-cmd:')))).toEqual([
          [...command, '.'],
          [...command, '.'],
          [...command, host, '1'],
        ]);
      }),
    );
  });

  it('refuses a command that is too long for QEMU or has a line break', () => {
    for (const word of ['x'.repeat(1100), 'a\nb'])
      expect(() => qemuArgv({ ...facts, metadataCommand: [word] })).toThrow(/cannot pass/);
  });
});

const PLAN = [
  'user',
  'id',
  'net',
  'host',
  'dns',
  'dhcpstart',
  'restrict',
  'hostfwd',
  'guestfwd',
  'guestfwd',
  'guestfwd',
];

const argumentOf = (argv: readonly string[], flag: string) => argv[argv.indexOf(flag) + 1];

/** Splits options like QEMU: a doubled comma is part of the value. */
function netOf(given: VmFacts): string[][] {
  const text = argumentOf(qemuArgv(given), '-netdev')!;
  const parts = text.match(/(?:[^,]|,,)*/g)!.filter((one) => one !== '');
  return parts.map((part) => {
    const [key, ...value] = part.replaceAll(',,', ',').split('=');
    return [key!, value.join('=')];
  });
}

/** Splits a command line like glib. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (let at = 0; at < text.length; at++) {
    let word = '';
    for (; at < text.length && text[at] !== ' '; at++) {
      if (text[at] === '\\') word += text[++at];
      else if (text[at] === "'") {
        const end = text.indexOf("'", at + 1);
        word += text.slice(at + 1, end);
        at = end;
      } else throw new Error(`an open ${text[at]} in ${text}`);
    }
    words.push(word);
  }
  return words;
}
