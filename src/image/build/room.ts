// image/build/room.ts: is there room for what is about to be written, and if not, which option names another place?
import { UserError } from '../../base/errors.ts';

/** Left over for everything else on this machine. */
const RESERVE_BYTES = 256 << 20;

export interface Need {
  what: string;
  bytes: number;
  /** By which the user chooses the folder. */
  option: '--out' | '--cache';
}

export function ensureRoom(folder: string, freeBytes: number, { what, bytes, option }: Need): void {
  const needed = bytes + RESERVE_BYTES;
  if (freeBytes >= needed) return;
  throw new UserError(`${what} needs ${inMib(needed)} under ${folder}; ${inMib(freeBytes)} are free`, {
    code: 'image/no-space',
    kept: 'Nothing was written.',
    next: `free some space, or name a folder on another disk with ${option}`,
    exitCode: 1,
  });
}

const inMib = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;
