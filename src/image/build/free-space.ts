// image/build/free-space.ts: is there enough free space for a build, and which option chooses another folder?
import { UserError } from '../../base/errors.ts';
import { requireSpace } from '../../host/disk-space.ts';
import { isFull } from '../../host/json-file.ts';

export interface SpaceRequirement {
  what: string;
  bytes: number;
  /** The option that chooses the folder. */
  option: '--out' | '--cache';
}

export function requireImageSpace(folder: string, freeBytes: number, { what, bytes, option }: SpaceRequirement): void {
  requireSpace({ what, folder, neededBytes: bytes, freeBytes }, { code: 'image/no-space', option });
}

/** Reports a disk that fills up during the work like one that is too full before it. */
export async function reportingFullDisk<T>(
  folder: string,
  option: SpaceRequirement['option'],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isFull(cause)) throw cause;
    throw new UserError(`cannot write the image to ${folder}: the disk is full`, {
      code: 'image/no-space',
      kept: 'Existing images are unchanged.',
      next: `free some space, or name a folder on another disk with ${option}; then run the same command again`,
      exitCode: 1,
      cause,
    });
  }
}
