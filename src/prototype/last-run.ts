// prototype/last-run.ts: how did a pool's last run end? Kept in a Secret, because it must outlive the run's Job and its log.
import { TransientError, UserError } from '../base/errors.ts';
import { Forbidden } from '../base/failures.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { LeaseHeld } from '../cluster/lease-held.ts';
import type { PoolRef } from '../vms/pools.ts';
import { lastRunName } from './names.ts';

export interface LastRun {
  outcome: 'succeeded' | 'failed';
  /** In UTC, as in `2026-11-18T03:12:45.000Z`. */
  endedAt: string;
  /** The donor; absent if none was found. */
  node?: string;
  /** The run restarted the donor, which was Ready again before the run ended. */
  hasRestarted?: boolean;
  /** The version that new instances start from, after a success. */
  version?: string;
  /** The error, after a failure. `code` is absent for a bug. */
  code?: string;
  reason?: string;
  next?: string;
}

type Secrets = Pick<Cluster, 'readSecret' | 'writeSecret'>;

/** A Secret has room for 1 MiB; a reason of a page is long enough. */
const LONGEST_REASON = 4096;

/** undefined: none is recorded, or this login may not read it. */
export async function readLastRun(cluster: Secrets, pool: PoolRef, signal?: AbortSignal): Promise<LastRun | undefined> {
  try {
    const text = (await cluster.readSecret(lastRunName(pool), signal))?.run;
    return text === undefined ? undefined : parseLastRun(text);
  } catch (error) {
    if (error instanceof Forbidden) return undefined;
    throw error;
  }
}

/** Best effort: a run never fails for its record. */
export async function writeLastRun(cluster: Secrets, pool: PoolRef, run: LastRun, signal?: AbortSignal): Promise<void> {
  await cluster
    .writeSecret(lastRunName(pool), { run: JSON.stringify(run), pool: pool.id }, signal)
    .catch(() => undefined);
}

/** undefined: nothing to record, because another run holds the pool and will record its own end. */
export function failureOf(error: unknown): Pick<LastRun, 'code' | 'reason' | 'next'> | undefined {
  if (error instanceof LeaseHeld) return undefined;
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_REASON);
  if (!(error instanceof UserError || error instanceof TransientError)) return { reason };
  return { code: error.code, reason, ...(error.next !== undefined && { next: error.next }) };
}

function parseLastRun(text: string): LastRun | undefined {
  try {
    const run = JSON.parse(text) as LastRun | null;
    return run?.outcome === 'failed' || run?.outcome === 'succeeded' ? run : undefined;
  } catch {
    return undefined; // edited by hand; the next run replaces it
  }
}
