// vms/qemu/scrub/scrub-init.ts: what does the scrub VM do? The script that the initrd's shell runs as its only program.

/** Where the script finds the copy. The script runs chrooted in the copy, and the copy is bind-mounted here as well. */
export const COPY_ROOT = '/run/headstart-copy';
/** The virtio port on which the VM reports. */
export const ANSWER_PORT = 'headstart.scrub';
export const INIT_PATH = 'headstart-scrub';
export const SCRIPT_PATH = 'headstart-scrub-script';

export interface ScrubWork {
  /** The file system to edit: `/dev/vda` or a partition of it. */
  device?: string;
  hasScript: boolean;
  /** `off`: disable cloud-init on the copy. */
  cloudInit?: 'off';
}

/** The VM's steps in order, by the names it reports; the script reports its own items in between. */
export function scrubItems({ hasScript, cloudInit }: ScrubWork): string[] {
  return [
    'disk',
    'replay-journal',
    'drop-journal',
    'mount',
    ...(hasScript ? ['tools', 'script'] : []),
    ...(cloudInit === 'off' ? ['disable-cloud-init'] : []),
    'unmount',
    'rewrite-folders',
    'wipe-free-blocks',
    'new-journal',
    'file-system',
  ];
}

/**
 * A deleted file stays on the disk: its bytes in free blocks, its name in the slack of its folder, and recent writes in the journal. So
 * the copy has no journal while it is edited. Afterwards the folders are rewritten, the free blocks (which then include the old journal)
 * are discarded, and a new journal is made.
 */
export function scrubInit(work: ScrubWork): string {
  const steps: Readonly<Record<string, string>> = {
    disk: 'has_disk',
    'replay-journal': 'replay_journal',
    'drop-journal': 'tune2fs -O ^has_journal "$device"',
    mount: 'mount -t ext4 "$device" /copy',
    tools: 'lend_tools',
    script: 'run_script',
    'disable-cloud-init': 'disable_cloud_init',
    unmount: 'unmount',
    'rewrite-folders': 'rewrite_folders',
    'wipe-free-blocks': 'e2fsck -f -y -E discard "$device"',
    'new-journal': 'tune2fs -O has_journal "$device"',
    'file-system': 'e2fsck -f -n "$device"',
  };
  return `${FUNCTIONS}
device=${work.device ?? '/dev/vda'}
begin
${scrubItems(work)
  .map((item) => `step ${item} ${steps[item]}`)
  .join('\n')}
end
`;
}

const FUNCTIONS = `#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C

begin() {
  mkdir -p /dev /proc /sys /copy
  mount -t devtmpfs dev /dev
  mount -t proc proc /proc
  mount -t sysfs sys /sys
  for module in virtio_pci virtio_blk virtio_console; do modprobe "$module"; done
  wait_for answer_port
  port=$(answer_port) || { echo 'headstart-scrub: no port to report on' >/dev/console; end; }
  exec 3>"$port"
}

# A device appears a moment after its driver.
wait_for() {
  tries=0
  until "$@" >/dev/null || [ "$tries" -ge 300 ]; do
    tries=$((tries + 1))
    sleep 0.1
  done
}

answer_port() {
  for file in /sys/class/virtio-ports/*/name; do
    [ "$(cat "$file" 2>/dev/null)" != ${ANSWER_PORT} ] || { folder=\${file%/name}; echo "/dev/\${folder##*/}"; return 0; }
  done
  return 1
}

# step NAME COMMAND...: stops the VM when the command fails
step() {
  name=$1
  shift
  if "$@" >/log 2>&1; then echo "$name=ok" >&3; return 0; fi
  echo "$name=failed $(tail -n 3 /log | tr '\\n' ' ')" >&3
  end
}

end() {
  sync
  poweroff -f
  reboot -f
}

has_disk() {
  wait_for test -b "$device"
  [ -b "$device" ] || { echo 'the disk did not appear'; return 1; }
  for tool in e2fsck tune2fs; do
    command -v "$tool" || { echo "the initrd of this image version has no $tool"; return 1; }
  done
}

replay_journal() {
  mount -t ext4 "$device" /copy && umount /copy
}

# The script's tools exist on the copy: sealing the donor checked them.
lend_tools() {
  mount -t tmpfs dev /copy/dev && mknod -m 666 /copy/dev/null c 1 3 && mknod -m 666 /copy/dev/urandom c 1 9 &&
    mount -t proc proc /copy/proc && mount -t tmpfs run /copy/run &&
    mkdir /copy${COPY_ROOT} && mount -o bind /copy /copy${COPY_ROOT}
}

# The script writes its items to the port directly.
run_script() {
  chroot /copy /bin/sh -s </${SCRIPT_PATH} >&3
}

disable_cloud_init() {
  mkdir -p /copy/etc/cloud && : >/copy/etc/cloud/cloud-init.disabled
}

unmount() {
  for folder in /copy${COPY_ROOT} /copy/run /copy/proc /copy/dev; do
    ! grep -q " $folder " /proc/mounts || umount "$folder" || return 1
  done
  umount /copy
}

# Exit code 1 means that e2fsck changed something, here the folders. It does not discard blocks in a run that changed something, so
# wipe-free-blocks is a second run.
rewrite_folders() {
  e2fsck -f -y -D "$device"
  [ $? -le 1 ]
}
`;
