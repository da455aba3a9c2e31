// image/build/room.ts: is there room for what is about to be written, and if not, which option names another place?
import { UserError } from '../../base/errors.ts';
import { isFull } from '../../host/json-file.ts';

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

/** What fills up meanwhile is told in the same words. */
export async function orFull<T>(folder: string, option: Need['option'], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isFull(cause)) throw cause;
    throw new UserError(`the disk is full: the image could not be written to ${folder}`, {
      code: 'image/no-space',
      kept: 'What was there before is as it was.',
      next: `free some space, or name a folder on another disk with ${option}; then run the same command again`,
      exitCode: 1,
      cause,
    });
  }
}

const inMib = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;
