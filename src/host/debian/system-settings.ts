// host/debian/system-settings.ts: what is set in a Debian system besides its packages, and what has every system that boots in a VM?

export interface SystemSettings {
  /** In place before the kernel is installed, which makes the initrd. */
  initrdFiles: readonly SystemFile[];
  files: readonly SystemFile[];
  /** Run with the image's own tools, after its files are there. */
  commands: readonly (readonly [string, ...string[]])[];
  /** Removed at the end: patterns below the image's root. */
  removed: readonly string[];
}

export interface SystemFile {
  path: string;
  mode: number;
  text: string;
}

/** Made with only what a VM of ours has: unpacking a full initrd would be a good part of its boot without hardware help. */
export const INITRD_FILES: SystemFile[] = [
  { path: '/etc/initramfs-tools/conf.d/headstart', mode: 0o644, text: 'MODULES=list\nCOMPRESS=gzip\nRESUME=none\n' },
  {
    path: '/etc/initramfs-tools/modules',
    mode: 0o644,
    text: 'virtio_pci\nvirtio_mmio\nvirtio_blk\nvirtio_net\nvirtio_console\nvirtio_rng\nisofs\n',
  },
  {
    path: '/etc/initramfs-tools/hooks/headstart',
    mode: 0o755,
    // For the scrub of a captured copy, which needs them while the disk is not mounted.
    text: `#!/bin/sh
[ "\${1:-}" != prereqs ] || exit 0
. /usr/share/initramfs-tools/hook-functions
copy_exec /sbin/e2fsck
copy_exec /sbin/tune2fs
`,
  },
];

/** Behind what cloud-init writes (10-…): the network of a boot without it. */
export const NETWORK_FILE: SystemFile = {
  path: '/etc/systemd/network/20-headstart.network',
  mode: 0o644,
  text: `[Match]
Name=en* eth*

[Network]
DHCP=ipv4
IPv6AcceptRA=no
LinkLocalAddressing=no
`,
};
