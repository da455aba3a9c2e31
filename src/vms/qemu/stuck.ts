// vms/qemu/stuck.ts: has a machine come to nothing? Emulated processors can lock each other out while a kernel starts: it runs, for ever, and
// nothing happens. One that has never written anything loses nothing by a reset.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { instanceFiles } from './layout.ts';

/** A guest mounts its disk within seconds; on a machine that is ten times slower, within this. */
const STUCK_MS = 180_000;
/** QEMU itself may write to a disk when it opens it. */
const OPENING_MS = 5_000;

/** `sinceMs`: when it was last started or reset. */
export function isStuck(signs: { startedMs: number; writtenMs: number; sinceMs: number; nowMs: number }): boolean {
  return signs.writtenMs <= signs.startedMs + OPENING_MS && signs.nowMs - signs.sinceMs >= STUCK_MS;
}

/** To its disk, or to its console. */
export function writtenMs(folder: string): number {
  return Math.max(...[instanceFiles.disk, instanceFiles.console].map((name) => modifiedMs(join(folder, name))));
}

function modifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
