// host/open-files.ts: which processes have a file open? Only those that we may look into: another user's tools do not use our disks.
import { readdirSync, readlinkSync, realpathSync } from 'node:fs';

/** Not ourselves. A process that was killed is among them until the kernel has taken its files away, which waits for the disk. */
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

/** Processes and handles go while they are looked at. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
