// cluster/holder.ts: under which name does this process hold a pool? Others read it, no two processes anywhere may share it, and on this
// machine it tells whether its process still lives.
import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type ProcessMark, systemProcesses } from '../base/process-mark.ts';
import type { Cluster } from './cluster.ts';
import { LeaseHeld } from './lease-held.ts';

/** Not by the number of the process alone: in a pod it is the same every time, and two holders of one name do not exclude each other. */
export function holderName(verb: string): string {
  const mark = systemProcesses.own();
  return [verb, hostname(), randomUUID().slice(0, 8), ...(mark ? [markText(mark)] : [])].join('-');
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
  const [pid, startTicks, place] = /-(\d+)\.(\d+)\.([0-9a-f]{8})$/.exec(holder)?.slice(1) ?? [];
  const here = systemProcesses.own();
  if (startTicks === undefined || here === undefined || place !== pidSpaceOf(here)) return false;
  return systemProcesses.isGone({ ...here, pid: Number(pid), startTicks });
}

/** Short enough for a name, and without what only this machine should know. */
export function markText(mark: ProcessMark): string {
  return `${mark.pid}.${mark.startTicks}.${pidSpaceOf(mark)}`;
}

/** Where the numbers of processes mean something: one boot, and one container in it. */
function pidSpaceOf({ bootId, pidNamespace }: ProcessMark): string {
  return createHash('sha256').update(`${bootId} ${pidNamespace}`).digest('hex').slice(0, 8);
}
