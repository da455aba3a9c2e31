// vms/qemu/standby/member-use.ts: how much disk and memory does a standby instance take? What it shares with others is not counted.
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InstanceRef } from '../../pools.ts';
import type { Home } from '../context.ts';
import { readInstanceRecord } from '../home/instance-records.ts';
import { instanceFolder } from '../home/layout.ts';
import { pidOf } from '../machine/machines.ts';
import { machineOf } from '../pools/instances.ts';
import { FROZEN_FILES } from './parked-record.ts';

export interface MemberUse {
  /** Allocated, not nominal: disks and memory files are sparse. */
  diskBytes: number;
  /** Private memory of its process; absent: it has no process, or it cannot be read. */
  memoryBytes?: number;
}

const BLOCK_BYTES = 512;

export function memberUse({ home }: Home, ref: InstanceRef): MemberUse {
  const folder = instanceFolder(home, ref);
  const diskBytes = FROZEN_FILES.reduce((sum, name) => sum + allocatedBytes(join(folder, name)), 0);
  const record = readInstanceRecord(home, ref);
  const pid = record && pidOf(machineOf(home, ref, record));
  const memoryBytes = pid === undefined ? undefined : privateBytes(pid);
  return { diskBytes, ...(memoryBytes !== undefined && { memoryBytes }) };
}

function allocatedBytes(file: string): number {
  return (lstatSync(file, { throwIfNoEntry: false })?.blocks ?? 0) * BLOCK_BYTES; // a link takes nothing
}

export function privateBytes(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const kilobytes = [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm)].map(([, kb]) => Number(kb));
    return kilobytes.length === 0 ? undefined : 1024 * kilobytes.reduce((sum, kb) => sum + kb, 0);
  } catch {
    return undefined; // the process has ended, or belongs to another user
  }
}
