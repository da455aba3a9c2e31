// vms/qemu/machine/hung.ts: has a machine come to nothing? Emulated processors can lock each other out while a kernel starts: it runs, for ever, and
// nothing happens. One that has never written anything loses nothing by a reset.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { instanceFiles } from '../home/layout.ts';

/** A guest mounts its disk within seconds; on a machine that is some times slower, within this. Each reset gives it twice the time. */
const STUCK_MS = 90_000;
/** QEMU itself may write to a disk when it opens it. */
const OPENING_MS = 5_000;

export interface DiskActivity {
  startedMs: number;
  /** To its disk or its console. */
  writtenMs: number;
  resets: number;
  /** When it was last started or reset. */
  sinceMs: number;
  nowMs: number;
}

export function isHung({ startedMs, writtenMs, resets, sinceMs, nowMs }: DiskActivity): boolean {
  return writtenMs <= startedMs + OPENING_MS && nowMs - sinceMs >= STUCK_MS * 2 ** resets;
}

/** The last time that it did. */
export function writtenMs(folder: string): number {
  return Math.max(...[instanceFiles.disk, instanceFiles.console].map((name) => modifiedMs(join(folder, name))));
}

function modifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
