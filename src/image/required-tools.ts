// image/required-tools.ts: which programs of this machine is an image built with?
import type { Tool } from '../vms/qemu/base/required-tools.ts';

export const IMAGE_TOOLS: readonly Tool[] = [
  { program: 'mmdebstrap', package: 'mmdebstrap' },
  { program: 'apt-get', package: 'apt' },
  { program: 'dpkg-deb', package: 'dpkg' },
  ...['mke2fs', 'debugfs', 'dumpe2fs', 'e2fsck', 'tune2fs'].map((program) => ({ program, package: 'e2fsprogs' })),
  { program: 'lz4', package: 'lz4' },
  { program: 'qemu-img', package: 'qemu-utils' },
  ...['unshare', 'flock', 'setpriv'].map((program) => ({ program, package: 'util-linux' })),
];
