// host/disk-space.ts: is there room for what is about to be written?
import { statfs } from 'node:fs/promises';
import { UserError } from '../base/errors.ts';
import type { QemuContext } from '../vms/qemu/context.ts';

/** Left over for everything else on this machine. */
const RESERVE_BYTES = 256 << 20;

export async function ensureSpace(
  { home, freeBytes }: Pick<QemuContext, 'home' | 'freeBytes'>,
  neededBytes: number,
  what: string,
): Promise<void> {
  const free = await freeBytes(home);
  if (free >= neededBytes + RESERVE_BYTES) return;
  throw new UserError(`${what} needs ${inMib(neededBytes + RESERVE_BYTES)} under ${home}; ${inMib(free)} are free`, {
    code: 'vms/no-space',
    kept: 'Nothing was written.',
    next: 'free some space, or name a folder on another disk with --home',
    exitCode: 1,
  });
}

const inMib = (bytes: number) => `${Math.ceil(bytes / (1 << 20))} MiB`;

/** What we may still write, not what root could. */
export async function statfsFree(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
