// cli/prototype/holder.ts: under which name does this process hold a pool? Others read it, no two processes anywhere may share it, and on this
// machine it tells whether its process still lives.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Cluster } from '../../cluster/cluster.ts';
import { LeaseHeld } from '../../cluster/lease-held.ts';

/** Not by the number of the process alone: in a pod it is the same every time, and two holders of one name do not exclude each other. */
export function holderName(verb: string): string {
  return [verb, hostname(), randomUUID().slice(0, 8), markOf(process.pid)].filter(Boolean).join('-');
}

/** A hold ends by itself after a quarter of an hour. One whose process died on this machine, with its donor out of service, ends at once. */
export function withoutDeadHolders(cluster: Cluster): Cluster {
  return {
    ...cluster,
    async holdLease(name, lease, signal) {
      try {
        return await cluster.holdLease(name, lease, signal);
      } catch (error) {
        if (!(error instanceof LeaseHeld) || !isDead(error.lease.holder)) throw error;
        await cluster.releaseLease(name, error.lease.holder, signal);
        return cluster.holdLease(name, lease, signal); // somebody may have been quicker
      }
    },
  };
}

/** Sure of it: a process that cannot be seen from here may live. */
export function isDead(holder: string): boolean {
  const [, pid, where] = /-((\d+)\.[^.]+\.([0-9a-f]{8}))$/.exec(holder)?.slice(1) ?? [];
  if (pid === undefined || where !== placeOfProcesses()) return false;
  return !holder.endsWith(`-${markOf(Number(pid))}`);
}

/** Number, start and where such numbers mean something; undefined where there is none, or nothing to tell by. */
export function markOf(pid: number): string | undefined {
  const where = placeOfProcesses();
  const stat = textOf(`/proc/${pid}/stat`);
  // The name of the program may hold anything; what comes behind its bracket is numbers.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (where === undefined || fields === undefined || 'ZX'.includes(fields[0]!)) return undefined;
  return `${pid}.${Number(fields[19]).toString(36)}.${where}`;
}

/** Of one boot, and of one container in it. */
function placeOfProcesses(): string | undefined {
  const boot = textOf('/proc/sys/kernel/random/boot_id');
  if (boot === undefined) return undefined;
  const place = `${boot.trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  return createHash('sha256').update(place).digest('hex').slice(0, 8);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
