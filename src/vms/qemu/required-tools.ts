// vms/qemu/required-tools.ts: which programs do local pools need, and which does building a base image need?
import { type Tool, toolsOf } from '../../host/required-tools.ts';

export const POOL_TOOLS: readonly Tool[] = toolsOf(
  ...(['qemu-system-x86_64', 'qemu-img', 'genisoimage', 'ssh-keygen'] as const),
  ...(['flock', 'setpriv', 'fallocate'] as const),
);

export const BASE_TOOLS: readonly Tool[] = toolsOf('mmdebstrap', 'apt-get', 'mke2fs', 'lz4', 'unshare');
