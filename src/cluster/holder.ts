// cluster/holder.ts: under which name does this process hold a pool? The name is unique, and on this machine it shows whether
// the process is still alive.
import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type ProcessMark, systemProcesses } from '../base/process-mark.ts';
import type { Cluster } from './cluster.ts';
import { LeaseHeld } from './lease-held.ts';

/** The pid alone is not enough: in a pod it is always the same, and two processes with one name would not exclude each other. */
export function holderName(verb: string): string {
  const mark = systemProcesses.own();
  return [verb, hostname(), randomUUID().slice(0, 8), ...(mark ? [markText(mark)] : [])].join('-');
}

/** A hold expires after 15 minutes. If its process died on this machine, maybe with a donor out of service, it ends at once. */
export function withoutDeadHolders(cluster: Cluster): Cluster {
  return {
    ...cluster,
    async holdLease(name, lease, signal) {
      try {
        return await cluster.holdLease(name, lease, signal);
      } catch (error) {
        if (!(error instanceof LeaseHeld) || !isDead(error.lease.holder)) throw error;
        await cluster.releaseLease(name, error.lease.holder, signal);
        return cluster.holdLease(name, lease, signal); // another process may have been faster
      }
    },
  };
}

/** true only if it is certain: a process that is not visible from here may be alive. */
export function isDead(holder: string): boolean {
  const [pid, startTicks, place] = /-(\d+)\.(\d+)\.([0-9a-f]{8})$/.exec(holder)?.slice(1) ?? [];
  const here = systemProcesses.own();
  if (startTicks === undefined || here === undefined || place !== pidSpaceOf(here)) return false;
  return systemProcesses.isGone({ ...here, pid: Number(pid), startTicks });
}

/** Short enough for a name, and without the boot id, which stays on this machine. */
export function markText(mark: ProcessMark): string {
  return `${mark.pid}.${mark.startTicks}.${pidSpaceOf(mark)}`;
}

/** The scope in which pids are unique: one boot and one pid namespace. */
function pidSpaceOf({ bootId, pidNamespace }: ProcessMark): string {
  return createHash('sha256').update(`${bootId} ${pidNamespace}`).digest('hex').slice(0, 8);
}
