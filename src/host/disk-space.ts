// host/disk-space.ts: is there room for what is about to be written?
import { statfs } from 'node:fs/promises';
import { UserError } from '../base/errors.ts';

/** Left over for everything else on this machine. */
const RESERVE_BYTES = 256 << 20;

export interface SpaceNeed {
  what: string;
  folder: string;
  neededBytes: number;
  freeBytes: number;
}

/** Throws with the code and the option of the caller, by which the user names another folder. */
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

/** What we may still write, not what root could. */
export async function statfsFree(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
