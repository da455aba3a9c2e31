// host/disk-space.ts: is there enough free disk space?
import { statfs } from 'node:fs/promises';
import { UserError } from '../base/errors.ts';

/** Kept free for everything else on this machine. */
const RESERVE_BYTES = 256 << 20;

export interface SpaceNeed {
  what: string;
  folder: string;
  neededBytes: number;
  freeBytes: number;
}

/** `code` and `option` are for the error; `option` lets the user name another folder. */
export function requireSpace(
  { what, folder, neededBytes, freeBytes }: SpaceNeed,
  { code, option }: { code: string; option: string },
): void {
  const needed = neededBytes + RESERVE_BYTES;
  if (freeBytes >= needed) return;
  throw new UserError(`${what} needs ${inMib(needed)} under ${folder}; ${inMib(freeBytes)} are free`, {
    code,
    kept: 'Nothing was written.',
    next: `free some space, or name a folder on another disk with ${option}`,
    exitCode: 1,
  });
}

const inMib = (bytes: number) => `${Math.ceil(bytes / (1 << 20))} MiB`;

/** The space available to this user, without root's reserve. */
export async function statfsFree(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
