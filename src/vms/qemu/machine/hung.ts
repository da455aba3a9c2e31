// vms/qemu/machine/hung.ts: is a VM hung? Emulated processors can deadlock while a kernel starts, and QEMU then runs forever. A VM that
// has never written to its disk or console loses nothing by a reset.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { instanceFiles } from '../home/layout.ts';

/** A guest writes to its disk within seconds, and on a slow machine within this time. Each reset doubles the limit. */
const STUCK_MS = 90_000;
/** QEMU itself may write to the disk when it opens it. */
const OPENING_MS = 5_000;

export interface DiskActivity {
  startedMs: number;
  /** Last write to the disk or the console. */
  writtenMs: number;
  resets: number;
  /** Last start or reset. */
  sinceMs: number;
  nowMs: number;
}

export function isHung({ startedMs, writtenMs, resets, sinceMs, nowMs }: DiskActivity): boolean {
  return writtenMs <= startedMs + OPENING_MS && nowMs - sinceMs >= STUCK_MS * 2 ** resets;
}

/** When the guest last wrote to its disk or console. */
export function writtenMs(folder: string): number {
  return Math.max(...[instanceFiles.disk, instanceFiles.console].map((name) => modifiedMs(join(folder, name))));
}

function modifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
