// image/build/disk/ext4-place.ts: how do tools address an unmounted file system? In a file, or in a partition of a disk image.
import { basename, dirname } from 'node:path';
import type { ToolArgv } from '../../../host/required-tools.ts';

export interface Ext4Place {
  file: string;
  /** Offset of the file system in the file. */
  startBytes: number;
}

/** Fixes the time, the time zone and the sort order for a tool. */
export function atTime(epochSec: number, argv: ToolArgv, more: readonly string[] = []): ToolArgv {
  return ['env', `E2FSPROGS_FAKE_TIME=${epochSec}`, `E2FSCK_TIME=${epochSec}`, 'LC_ALL=C', 'TZ=UTC', ...more, ...argv];
}

/**
 * An e2fsprogs command; the place is appended as its last argument. It runs in the folder of the file, because these tools read text after a
 * question mark as options, and the folder's path comes from the user.
 */
export function onPlace({ file, startBytes }: Ext4Place, epochSec: number, argv: ToolArgv): ToolArgv {
  const [program, ...args] = argv;
  const name = `./${basename(file)}?offset=${startBytes}`;
  return ['env', `--chdir=${dirname(file)}`, ...atTime(epochSec, [program, ...args, name])];
}
