// image/build/base/initrd.ts: how does an image find its root? Debian's initrd with only the drivers of clouds and QEMU, and without udev: a script
// reads the devices from the kernel and loads their modules. udev handles all devices again after the root is mounted.
import { INITRD_FILES, type SystemFile } from '../../../host/debian/system-settings.ts';

/** Only the drivers for disks and networks of clouds and QEMU: unpacking a full initrd would take a large part of a fast boot. */
const MODULES = [
  ...['ext4', 'virtio_pci', 'virtio_mmio', 'virtio_blk', 'virtio_scsi', 'virtio_console', 'sd_mod', 'nvme'],
  // In the initrd, because udev would load it only after hundreds of other devices.
  'virtio_net',
  ...['hv_vmbus', 'hv_storvsc', 'hv_netvsc', 'pci-hyperv'],
];

/** Buses of disks and network cards. */
const BUSES = ['acpi', 'platform', 'pci', 'vmbus', 'virtio', 'scsi'];

/** Has the name of udev's script, which it replaces. initramfs-tools runs it once a second until the root appears. */
export const FIND_DRIVERS = `#!/bin/sh
[ "\${1:-}" != prereqs ] || exit 0

# A driver may add devices, whose drivers the next round loads.
load() {
  known=
  while aliases=$(cat ${BUSES.map((bus) => `/sys/bus/${bus}/devices/*/modalias`).join(' ')} 2>/dev/null); [ "$aliases" != "$known" ]; do
    known=$aliases
    set -f
    modprobe --all --quiet --use-blacklist $aliases
    set +f
  done
}

load
# Some buses report their devices a moment later.
case "\${ROOT:-}" in
  *=*)
    tries=0
    until blkid -l -t "$ROOT" >/dev/null 2>&1 || [ $tries -ge 30 ]; do
      tries=$((tries + 1))
      sleep 0.1
      load
    done
    ;;
esac
`;

/** Runs after the root is mounted. Debian's script would also stop udev, which does not run. */
export const MOVE_DEVICES = `#!/bin/sh
[ "\${1:-}" != prereqs ] || exit 0
mount -n -o move /dev "\${rootmnt:?}/dev" || mount -n --move /dev "\${rootmnt}/dev"
# Without busybox the initrd has no rm.
if command -v nuke >/dev/null; then nuke /dev; else rm -rf /dev; fi
ln -s "\${rootmnt}/dev" /dev
`;

/** Removes what udev's hook adds, except blkid, which finds the root. Empties the list of modules that would be loaded unconditionally. */
const WITHOUT_UDEV = `#!/bin/sh
[ "\${1:-}" != prereqs ] || exit 0
rm -rf "$DESTDIR/lib/systemd" "$DESTDIR/lib/udev" "$DESTDIR/etc/udev" "$DESTDIR/bin/udevadm"
: >"$DESTDIR/conf/modules"
`;

const FOLDER = '/etc/initramfs-tools';

/** Installed before the kernel, whose installation builds the initrd. */
export const OWN_INITRD_FILES: SystemFile[] = [
  {
    path: `${FOLDER}/conf.d/headstart`,
    mode: 0o644,
    text: 'MODULES=list\nCOMPRESS=gzip\nRESUME=none\nFSTYPE=ext4\n',
  },
  { path: `${FOLDER}/modules`, mode: 0o644, text: `${MODULES.join('\n')}\n` },
  ...['init-top', 'local-block'].map((moment) => ({
    path: `${FOLDER}/scripts/${moment}/udev`,
    mode: 0o755,
    text: FIND_DRIVERS,
  })),
  { path: `${FOLDER}/scripts/init-bottom/udev`, mode: 0o755, text: MOVE_DEVICES },
  { path: `${FOLDER}/hooks/headstart-without-udev`, mode: 0o755, text: WITHOUT_UDEV },
  // For the scrub of a captured copy, which needs these tools while the disk is not mounted.
  ...INITRD_FILES.filter(({ path }) => path.startsWith(`${FOLDER}/hooks/`)),
];
