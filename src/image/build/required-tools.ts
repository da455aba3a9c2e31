// image/build/required-tools.ts: which programs of this machine does an image build need?
import { type Tool, toolsOf } from '../../host/required-tools.ts';

export const IMAGE_TOOLS: readonly Tool[] = toolsOf(
  ...(['mmdebstrap', 'apt-get', 'dpkg-deb'] as const),
  ...(['mke2fs', 'debugfs', 'dumpe2fs', 'e2fsck', 'tune2fs'] as const),
  ...(['lz4', 'qemu-img', 'unshare', 'flock', 'setpriv'] as const),
);
