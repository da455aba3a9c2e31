// image/build/disk/ext4-place.ts: where is a file system that nobody has mounted, and how are its tools told? In a file of its own, or in its partition of a disk.
import { basename, dirname } from 'node:path';
import type { ToolArgv } from '../../../host/required-tools.ts';

export interface Ext4Place {
  file: string;
  /** Where in the file it begins. */
  startBytes: number;
}

/** In a world in which it is always this second, and names are in the order of their bytes. */
export function atTime(epochSec: number, argv: ToolArgv, more: readonly string[] = []): ToolArgv {
  return ['env', `E2FSPROGS_FAKE_TIME=${epochSec}`, `E2FSCK_TIME=${epochSec}`, 'LC_ALL=C', 'TZ=UTC', ...more, ...argv];
}

/**
 * A program of e2fsprogs, its arguments but for the last one, which is the place. It runs in the file's folder: what follows a question
 * mark in a name is an option to these programs, and folders are named by others.
 */
export function onPlace({ file, startBytes }: Ext4Place, epochSec: number, argv: ToolArgv): ToolArgv {
  const [program, ...args] = argv;
  const name = `./${basename(file)}?offset=${startBytes}`;
  return ['env', `--chdir=${dirname(file)}`, ...atTime(epochSec, [program, ...args, name])];
}
