// image/build/free-space.ts: is there room for what is about to be written, and if not, which option names another place?
import { UserError } from '../../base/errors.ts';
import { requireSpace } from '../../host/disk-space.ts';
import { isFull } from '../../host/json-file.ts';

export interface SpaceRequirement {
  what: string;
  bytes: number;
  /** By which the user chooses the folder. */
  option: '--out' | '--cache';
}

export function requireImageSpace(folder: string, freeBytes: number, { what, bytes, option }: SpaceRequirement): void {
  requireSpace({ what, folder, neededBytes: bytes, freeBytes }, { code: 'image/no-space', option });
}

/** What fills up meanwhile is told in the same words. */
export async function reportingFullDisk<T>(
  folder: string,
  option: SpaceRequirement['option'],
  work: () => Promise<T>,
): Promise<T> {
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
