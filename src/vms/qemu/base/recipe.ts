// vms/qemu/base/recipe.ts: what is in a base image? Packages, files and commands. A change here makes a new image.
import { createHash } from 'node:crypto';
import { UserError } from '../../../base/errors.ts';
import {
  INITRD_FILES,
  NETWORK_FILE,
  type SystemFile,
  type SystemSettings,
} from '../../../host/debian/system-settings.ts';

export type Suite = 'bookworm' | 'trixie';

export interface Recipe extends SystemSettings {
  suite: Suite;
  /** Name of the image definition. */
  definition: string;
  /** Debian release number. */
  release: string;
  packages: readonly string[];
  diskBytes: number;
  /** File system label; fstab finds the root by it. */
  label: string;
}

/** Increment when the build changes in a way that the recipe does not show. */
const BUILDER = 1;
const DEFINITIONS: Readonly<Record<Suite, { definition: string; release: string }>> = {
  bookworm: { definition: 'debian-12', release: '12' },
  trixie: { definition: 'debian-13', release: '13' },
};
export const SUITES = Object.keys(DEFINITIONS) as Suite[];

export const suiteOf = (definition: string): Suite | undefined =>
  SUITES.find((suite) => DEFINITIONS[suite].definition === definition);

export function baseRecipe(suite: string): Recipe {
  const known = SUITES.find((name) => name === suite);
  if (known === undefined)
    throw new UserError(`no recipe for suite '${suite}'`, {
      code: 'pool/unknown-suite',
      next: `choose one with --suite: ${SUITES.join(', ')}`,
    });
  return {
    suite: known,
    ...DEFINITIONS[known],
    packages: PACKAGES,
    initrdFiles: INITRD_FILES,
    files: FILES,
    commands: COMMANDS,
    removed: REMOVED,
    diskBytes: 4 * 2 ** 30,
    label: LABEL,
  };
}

export function hashRecipe(recipe: Recipe): string {
  return createHash('sha256')
    .update(JSON.stringify([BUILDER, recipe]))
    .digest('hex');
}

const LABEL = 'headstart';

const PACKAGES = [
  ...[
    'systemd',
    'systemd-sysv',
    'systemd-resolved',
    'libnss-resolve',
    'udev',
    'dbus',
    'kmod',
    'login',
    'passwd',
    'procps',
  ],
  ...['linux-image-cloud-amd64', 'initramfs-tools', 'busybox-static', 'e2fsprogs', 'zstd'],
  ...['cloud-init', 'cloud-guest-utils', 'qemu-guest-agent', 'openssh-server'],
  ...['iproute2', 'netbase', 'nftables', 'curl', 'ca-certificates'],
];

const FILES: SystemFile[] = [
  {
    path: '/etc/fstab',
    mode: 0o644,
    text: `LABEL=${LABEL} / ext4 rw,noatime,errors=remount-ro,x-systemd.growfs 0 0\n`,
  },
  { path: '/etc/hosts', mode: 0o644, text: '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n' },
  {
    path: '/etc/cloud/cloud.cfg.d/10-headstart.cfg',
    mode: 0o644,
    text: `# The disk has no partition table: nothing to grow but the file system.
growpart: { mode: 'off' }
datasource_list: [ Azure, NoCloud, None ]
# The image has no translations, and a locale that cannot be made is a failed unit.
locale: false
# Without hardware help an RSA key takes many seconds.
ssh_genkeytypes: [ ed25519 ]
`,
  },
  NETWORK_FILE,
  {
    path: '/etc/systemd/system/headstart-ssh-key.service',
    mode: 0o644,
    // Written to another name first: with half a key, sshd would never start again.
    text: `[Unit]
Description=Make an SSH host key where there is none
ConditionPathExistsGlob=!/etc/ssh/ssh_host_*_key
After=cloud-init.service cloud-init-network.service
Before=ssh.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/rm -f /etc/ssh/headstart-new /etc/ssh/headstart-new.pub
ExecStart=/usr/bin/ssh-keygen -q -t ed25519 -N "" -f /etc/ssh/headstart-new
ExecStart=/bin/sync /etc/ssh/headstart-new /etc/ssh/headstart-new.pub
ExecStart=/bin/mv /etc/ssh/headstart-new.pub /etc/ssh/ssh_host_ed25519_key.pub
ExecStart=/bin/mv /etc/ssh/headstart-new /etc/ssh/ssh_host_ed25519_key

[Install]
WantedBy=ssh.service
`,
  },
];

const COMMANDS = [
  ['systemctl', 'enable', 'systemd-networkd', 'systemd-resolved', 'ssh', 'headstart-ssh-key'],
  // Guests cannot reach a mirror, and timers distort boot measurements.
  [
    ...(['systemctl', 'disable', 'apt-daily.timer', 'apt-daily-upgrade.timer', 'dpkg-db-backup.timer'] as const),
    ...['e2scrub_all.timer', 'e2scrub_reap.service', 'fstrim.timer'],
  ],
  // Guests have a serial console and no screen.
  ['systemctl', 'mask', 'getty@tty1.service'],
  ['passwd', '--lock', 'root'],
] as const satisfies Recipe['commands'];

const REMOVED = [
  // Each machine generates its own.
  '/etc/ssh/ssh_host_*',
  '/etc/hostname',
  '/var/lib/dbus/machine-id',
  '/var/lib/systemd/random-seed',
  // The build machine's mirrors and proxies, which may contain passwords.
  '/etc/apt/sources.list',
  '/etc/apt/sources.list.d/*',
  '/etc/apt/apt.conf.d/99mmdebstrap',
  '/etc/.resolv.conf.systemd-resolved.bak',
  '/var/log/apt/*',
  // Links to the kernel and initrd, which are files next to the disk.
  '/vmlinuz*',
  '/initrd.img*',
];
