// image/build/base/initrd.ts: what finds the root of an image? Debian's initrd with the drivers of clouds and of QEMU alone, and without udev: what the
// machine has is asked of the kernel, and loaded by one program. udev comes to every device again once the root is there.
import { INITRD_FILES, type SystemFile } from '../../../host/debian/system-settings.ts';

/** What the disks and networks of clouds and of QEMU are reached by, and no more: unpacking a full one would be a good part of a fast boot. */
const MODULES = [
  ...['ext4', 'virtio_pci', 'virtio_mmio', 'virtio_blk', 'virtio_scsi', 'virtio_console', 'sd_mod', 'nvme'],
  // Found by udev it would come after hundreds of devices that nobody waits for.
  'virtio_net',
  ...['hv_vmbus', 'hv_storvsc', 'hv_netvsc', 'pci-hyperv'],
];

/** Where devices are found that a root is on, or a network. */
const BUSES = ['acpi', 'platform', 'pci', 'vmbus', 'virtio', 'scsi'];

/** Under the name of udev's own, which it takes the place of. Run again once a second while the root is not there. */
export const FIND_DRIVERS = `#!/bin/sh
[ "\${1:-}" != prereqs ] || exit 0

# Devices that a driver brings with it come with the next round.
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
# Some buses tell of their devices a moment later.
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

/** What comes after the root is mounted: Debian's script would also stop the udev that is not there. */
export const MOVE_DEVICES = `#!/bin/sh
[ "\${1:-}" != prereqs ] || exit 0
mount -n -o move /dev "\${rootmnt:?}/dev" || mount -n --move /dev "\${rootmnt}/dev"
# The initrd's own tools have no rm where there is no busybox.
if command -v nuke >/dev/null; then nuke /dev; else rm -rf /dev; fi
ln -s "\${rootmnt}/dev" /dev
`;

/** Of udev's own hook only blkid is kept, by which a root is found; modules are not loaded whether there is something for them or not. */
const WITHOUT_UDEV = `#!/bin/sh
[ "\${1:-}" != prereqs ] || exit 0
rm -rf "$DESTDIR/lib/systemd" "$DESTDIR/lib/udev" "$DESTDIR/etc/udev" "$DESTDIR/bin/udevadm"
: >"$DESTDIR/conf/modules"
`;

const FOLDER = '/etc/initramfs-tools';

/** In place before the kernel is installed, which makes the initrd. */
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
  // For the scrub of a captured copy, which needs them while the disk is not mounted.
  ...INITRD_FILES.filter(({ path }) => path.startsWith(`${FOLDER}/hooks/`)),
];
