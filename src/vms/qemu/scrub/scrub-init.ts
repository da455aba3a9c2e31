// vms/qemu/scrub/scrub-init.ts: what does the VM do that edits the copy of a disk? The text of its only program, run by the initrd's shell.

/** Where the script finds the copy: it runs with the copy's own tools, and these have the copy below this folder as well. */
export const COPY_ROOT = '/run/headstart-copy';
/** The port on which the VM answers. */
export const ANSWER_PORT = 'headstart.scrub';
export const INIT_PATH = 'headstart-scrub';
export const SCRIPT_PATH = 'headstart-scrub-script';

export interface ScrubWork {
  /** The file system that is edited; `/dev/vda`, or a partition of it. */
  device?: string;
  hasScript: boolean;
  /** off: nothing on the copy is to start cloud-init. */
  cloudInit?: 'off';
}

/** What the VM does, in order, by the names under which it reports; those of the script itself come between. */
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
 * A deleted file is still on the disk: its bytes in free blocks, its name in the slack of its folder, and both of what was written last
 * in the journal. So the copy has no journal while it is edited, and afterwards its folders are written anew, its free blocks discarded
 * (the old journal is among them by then), and it gets an empty journal.
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
  port=$(answer_port) || { echo 'headstart-scrub: there is no port to answer on' >/dev/console; end; }
  exec 3>"$port"
}

# A device is there a moment after its driver.
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

# step NAME COMMAND...: nothing follows a step that failed
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
  [ -b "$device" ] || { echo 'the disk does not show up'; return 1; }
  for tool in e2fsck tune2fs; do
    command -v "$tool" || { echo "the initrd of this image version has no $tool"; return 1; }
  done
}

replay_journal() {
  mount -t ext4 "$device" /copy && umount /copy
}

# The donor was sealed, and the seal refuses a machine on which one of the script's tools is missing.
lend_tools() {
  mount -t tmpfs dev /copy/dev && mknod -m 666 /copy/dev/null c 1 3 && mknod -m 666 /copy/dev/urandom c 1 9 &&
    mount -t proc proc /copy/proc && mount -t tmpfs run /copy/run &&
    mkdir /copy${COPY_ROOT} && mount -o bind /copy /copy${COPY_ROOT}
}

# Its items go out as they are.
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

# 1: something was mended, as it calls the folders it wrote anew. It discards nothing in a run in which it changed anything, so that
# is another one.
rewrite_folders() {
  e2fsck -f -y -D "$device"
  [ $? -le 1 ]
}
`;
