// base/process-mark.ts: is the process that took a lock gone? Answers yes only if that is certain.
import { readFileSync, readlinkSync } from 'node:fs';

/** Identifies a process of one boot of one machine. The kernel reuses process ids, so the pid alone is not enough. */
export interface ProcessMark {
  pid: number;
  startTicks: string;
  bootId: string;
  /** A container has its own process ids. */
  pidNamespace: string;
}

export interface Processes {
  /** Undefined if /proc is not available. */
  own(): ProcessMark | undefined;
  /** False if unknown: the process may be on another machine that shares the folder. */
  isGone(mark: ProcessMark): boolean;
}

export const systemProcesses: Processes = {
  own: () => markOf(process.pid),
  isGone(mark) {
    const here = markOf(process.pid);
    if (!here || here.bootId !== mark.bootId || here.pidNamespace !== mark.pidNamespace) return false;
    return startTicksOf(mark.pid) !== mark.startTicks;
  },
};

export function readMark(value: unknown): ProcessMark | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, startTicks, bootId, pidNamespace } = value as Record<string, unknown>;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return undefined;
  if (typeof startTicks !== 'string' || typeof bootId !== 'string' || typeof pidNamespace !== 'string')
    return undefined;
  return { pid, startTicks, bootId, pidNamespace };
}

export function markOf(pid: number): ProcessMark | undefined {
  try {
    const startTicks = startTicksOf(pid);
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return startTicks === undefined
      ? undefined
      : { pid, startTicks, bootId, pidNamespace: readlinkSync('/proc/self/ns/pid') };
  } catch {
    return undefined;
  }
}

/** The second field is the program's name in brackets, which may contain any character. */
function startTicksOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isDead = fields[0] === 'Z' || fields[0] === 'X'; // ended, but its parent has not waited for it
    return isDead ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
