// vms/qemu/machine/command-line.ts: with which arguments does QEMU run an instance? Pure: facts in, argv out.
import { UserError } from '../../../base/errors.ts';
import { instanceFiles } from '../home/layout.ts';
import type { Service, Size } from '../local-provider.ts';
import { gateway, guestNetwork, metadataAddress, nameServer, wireServerAddress } from './addresses.ts';

/** systemd reads this fw_cfg entry as a credential and passes it to units that load it. */
const CREDENTIAL = `opt/io.systemd.credentials/${instanceFiles.credential}`;

export type Accelerator = 'kvm' | 'tcg';

export interface VmFacts {
  id: string;
  vmId: string;
  accelerator: Accelerator;
  size: Size;
  address: string;
  mac: string;
  services: readonly Service[];
  metadataCommand: readonly string[];
  relayCommand: readonly string[];
  /** How the guest reaches the API server, when the pool belongs to a cluster; the kubelet's port is forwarded then too. */
  apiServer?: Service;
  /** Paths relative to the instance's folder. Without a kernel, the firmware boots the disk. */
  kernel?: { vmlinux: string; initrd: string };
  /** `off`: the host name is set on the kernel's command line. */
  cloudInit: 'on' | 'off';
  /** The kernel's root device. Default: the whole disk. */
  root?: string;
  kernelArgs?: readonly string[];
  /** UEFI: the code, and the variables as they are before the first boot. */
  firmware?: { code: string; variables: string };
  /** Default: memory of the process. `written`: a file that a freeze keeps. `resumed`: that file, and the guest continues from it. */
  memory?: 'written' | 'resumed';
}

/** Azure's chassis asset tag, by which cloud-init recognises Azure. */
const CHASSIS_TAG = '7783-7084-3265-9085-8269-3286-77';
// A guest runs one user's workload, and mitigations are expensive under emulation.
const KERNEL_ARGS =
  'console=ttyS0 quiet mitigations=off nokaslr audit=0 tsc=reliable no_timer_check ci.datasource=Azure'.split(' ');
/** Guest ports that are forwarded to 127.0.0.1 on this machine. */
export const SSH_PORT = 22;
export const KUBELET_PORT = 10250;
const WHOLE_DISK = '/dev/vda';
/** slirp silently truncates a longer rule. */
const MAX_RULE_CHARS = 1023;

/** The command must run in the instance's folder. */
export function qemuArgv(facts: VmFacts): [string, ...string[]] {
  const { kernel, size } = facts;
  const disk = (id: string, file: string, format: string, more: Drive, device: Drive = {}) => [
    ...['-drive', options({ file, if: 'none', id, format, ...more })],
    ...['-device', options('virtio-blk-pci', { drive: id, ...device })],
  ];
  return [
    'qemu-system-x86_64',
    ...['-name', options({ guest: facts.id })],
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-cpu', 'max', ...machine(facts)],
    ...['-accel', facts.accelerator === 'kvm' ? 'kvm' : 'tcg,thread=multi'],
    ...['-smp', String(size.cpus), '-m', String(size.memoryMb)],
    ...['-uuid', facts.vmId],
    ...[
      '-smbios',
      options({ type: '1', manufacturer: 'Microsoft Corporation', product: 'Virtual Machine', uuid: facts.vmId }),
    ],
    ...['-smbios', options({ type: '3', asset: CHASSIS_TAG })],
    ...(kernel ? ['-kernel', kernel.vmlinux, '-initrd', kernel.initrd, '-append', kernelArgs(facts)] : flash(facts)),
    // writeback honours flushes: killing the guest is like a power cut, and does not corrupt the disk. bootindex saves the firmware
    // the search for a boot device; with -kernel, QEMU uses that index itself.
    ...disk(
      'd0',
      instanceFiles.disk,
      'qcow2',
      { cache: 'writeback', discard: 'unmap' },
      kernel ? {} : { bootindex: '0' },
    ),
    ...disk('d1', instanceFiles.provisioning, 'raw', { readonly: 'on' }),
    ...(facts.apiServer && facts.memory !== 'resumed'
      ? ['-fw_cfg', options({ name: CREDENTIAL, file: instanceFiles.credential })]
      : []),
    ...['-device', 'virtio-rng-pci'],
    ...['-netdev', netdev(facts), '-device', options('virtio-net-pci', { netdev: 'n0', mac: facts.mac, romfile: '' })],
    ...['-device', 'virtio-serial-pci'],
    ...['-chardev', options('socket', { id: 'agent', path: instanceFiles.agent, server: 'on', wait: 'off' })],
    ...['-device', options('virtserialport', { chardev: 'agent', name: 'org.qemu.guest_agent.0' })],
    ...[
      '-chardev',
      options('file', { id: 'console', path: instanceFiles.console, append: 'on' }),
      '-serial',
      'chardev:console',
    ],
    ...['-qmp', `unix:${instanceFiles.qmp},server=on,wait=off`],
    ...['-pidfile', instanceFiles.pid],
  ];
}

/** The arguments that a frozen guest depends on: its processors, memory and devices, but not what is behind them. */
export function machineShape(argv: readonly string[]): string[] {
  return argv.flatMap((flag, at) => (SHAPE_FLAGS.includes(flag) ? [`${flag} ${argv[at + 1]}`] : [])).sort();
}

const SHAPE_FLAGS = ['-machine', '-cpu', '-accel', '-smp', '-m', '-device'];

/**
 * A resumed guest maps the file privately: the file stays as it was frozen, and only the pages that the guest writes take memory.
 * QEMU then waits for the state of the devices (`Machines.load`).
 */
function machine({ memory, size }: VmFacts): string[] {
  if (memory === undefined) return ['-machine', 'q35'];
  const file = { id: 'm0', size: `${size.memoryMb}M`, 'mem-path': instanceFiles.memory };
  const backend = options('memory-backend-file', { ...file, share: memory === 'written' ? 'on' : 'off' });
  const incoming = memory === 'resumed' ? ['-incoming', 'defer'] : [];
  return ['-machine', options('q35', { 'memory-backend': 'm0' }), '-object', backend, ...incoming];
}

function kernelArgs({ cloudInit, id, root = WHOLE_DISK, kernelArgs: own = [] }: VmFacts): string {
  const name = cloudInit === 'off' ? ['cloud-init=disabled', `systemd.hostname=${id}`] : [];
  return [...new Set([`root=${root}`, 'rw', ...own, ...KERNEL_ARGS, ...name])].join(' ');
}

/** Variables are discarded when QEMU exits, so that only the disk decides what boots, as on a new machine. */
function flash({ firmware }: VmFacts): string[] {
  if (!firmware) return [];
  const part = (unit: string, file: string, more: Drive) => [
    '-drive',
    options({ if: 'pflash', unit, format: 'raw', file, ...more }),
  ];
  return [...part('0', firmware.code, { readonly: 'on' }), ...part('1', firmware.variables, { snapshot: 'on' })];
}

/** The guest can reach its metadata and the pool's services, and nothing else. */
function netdev({ address, metadataCommand, relayCommand, services, apiServer }: VmFacts): string {
  const forward = (ip: string, port: number, command: readonly string[]): [string, string] => [
    'guestfwd',
    rule(`tcp:${ip}:${port}-cmd:${command.map(quoted).join(' ')}`),
  ];
  // '.' is the instance's folder: QEMU runs there, and so do the commands it starts.
  const metadata = [...metadataCommand, '.'];
  return options('user', [
    ['id', 'n0'],
    ['net', guestNetwork],
    ['host', gateway],
    ['dns', nameServer],
    ['dhcpstart', address],
    ['restrict', 'on'],
    // Port 0: the kernel picks a free port; `forwardedPorts` reads it from QEMU.
    ...[SSH_PORT, ...(apiServer ? [KUBELET_PORT] : [])].map((port) => ['hostfwd', `tcp:127.0.0.1:0-:${port}`] as const),
    forward(metadataAddress, 80, metadata),
    forward(wireServerAddress, 80, metadata),
    ...[...services, ...(apiServer ? [apiServer] : [])].map(({ address: ip, port, to }) =>
      forward(ip, port, [...relayCommand, to.host, String(to.port)]),
    ),
  ]);
}

function rule(text: string): string {
  if (Buffer.byteLength(text) <= MAX_RULE_CHARS && !/[\0-\x1f]/.test(text)) return text;
  throw new UserError(
    'cannot pass the metadata or relay command to QEMU: it is too long, or contains a control character',
    {
      code: 'vms/command-too-long',
      next: 'install headstart under a shorter path',
    },
  );
}

type Drive = Readonly<Record<string, string>>;
type Options = Drive | readonly (readonly [string, string])[];

/** QEMU's option syntax: a comma inside a value is doubled. */
function options(first: string | Options, rest: Options = {}): string {
  const [kind, pairs] = typeof first === 'string' ? [[first], rest] : [[], first];
  const entries = Array.isArray(pairs) ? (pairs as readonly [string, string][]) : Object.entries(pairs);
  return [...kind, ...entries.map(([key, value]) => `${key}=${value.replaceAll(',', ',,')}`)].join(',');
}

/** Quotes for slirp, which splits a command like a shell but expands nothing. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
