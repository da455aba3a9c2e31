// host/debian/system-settings.ts: settings of a Debian system besides its packages, and those that every VM image needs.

export interface SystemSettings {
  /** Written before the kernel package is installed, because its installation builds the initrd. */
  initrdFiles: readonly SystemFile[];
  files: readonly SystemFile[];
  /** Run in the image, after its files are written. */
  commands: readonly (readonly [string, ...string[]])[];
  /** Deleted at the end; patterns below the image's root. */
  removed: readonly string[];
}

export interface SystemFile {
  path: string;
  mode: number;
  text: string;
}

/** Only the modules that our VMs need: without KVM, unpacking a full initrd takes a large part of the boot. */
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
    // The scrub of a captured copy needs these tools while the disk is not mounted.
    text: `#!/bin/sh
[ "\${1:-}" != prereqs ] || exit 0
. /usr/share/initramfs-tools/hook-functions
copy_exec /sbin/e2fsck
copy_exec /sbin/tune2fs
`,
  },
];

/** For boots without cloud-init; cloud-init's file (10-…) takes precedence. */
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
