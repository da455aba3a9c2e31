// host/open-files.ts: which processes have a file open? Only processes we may inspect: other users' tools do not use our disks.
import { readdirSync, readlinkSync, realpathSync } from 'node:fs';

/** Excludes this process. Includes a killed process until the kernel has closed its files, which may wait for the disk. */
export function pidsWithOpenFile(path: string): number[] {
  const file = quietly(() => realpathSync(path));
  if (file === undefined) return [];
  const pids = (quietly(() => readdirSync('/proc')) ?? []).map(Number).filter(Number.isInteger);
  return pids.filter((pid) => pid !== process.pid && hasOpen(pid, file));
}

function hasOpen(pid: number, file: string): boolean {
  const handles = quietly(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return handles.some((handle) => quietly(() => readlinkSync(`/proc/${pid}/fd/${handle}`)) === file);
}

/** Processes and file handles may disappear while we read them. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
