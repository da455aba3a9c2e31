// prototype/run/hold-pool.ts: one run at a time per pool: how does a run hold it, renew the hold, and know how long it lasts?

import type { Fence } from '../../base/call-options.ts';
import type { Clock } from '../../base/clock.ts';
import { Forbidden } from '../../base/failures.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { LeaseHeld } from '../../cluster/lease-held.ts';
import type { PoolRef } from '../../vms/pools.ts';
import { FORMER, leaseName } from '../names.ts';
import { withChartAdvice } from '../saved-model-secret.ts';
import { type RetryDeps, withRetries } from './with-retries.ts';

/** Long enough for a slow request between two renewals. The next run can take over from a dead one after 15 minutes. */
const LEASE_MS = 15 * 60_000;
/** A change is not sent so close to the end: it may be on its way for this long. */
const ON_ITS_WAY_MS = 150_000;

export interface Hold extends Fence {
  /** Takes or renews the hold, in one attempt. It ignores interrupts, because the run still has to restore the donor. */
  renew(): Promise<void>;
  /** Nothing is sent after this, even if a call of an interrupted step is still waiting. */
  end(): void;
}

/** Releases the hold at the end; a hold that could not be released expires. */
export async function withPoolHold<T>(
  request: { pool: PoolRef; holder: string; note: string },
  deps: RetryDeps & { cluster: Cluster },
  work: (hold: Hold) => Promise<T>,
): Promise<T> {
  const { holder, note } = request;
  const name = leaseName(request.pool);
  const hold = poolHold(() => deps.cluster.holdLease(name, { holder, durationMs: LEASE_MS, note }), deps.clock);
  await withRetries('hold-lease', () => refuseIfFormerIsHeld(request.pool, deps), deps);
  await withRetries('hold-lease', hold.renew, deps).catch((error: unknown) => {
    throw withChartAdvice(error, request.pool);
  });
  try {
    return await work(hold);
  } finally {
    hold.end();
    await deps.cluster.releaseLease(name, holder).catch(() => undefined);
  }
}

/** A run of the first release holds the pool under another name. It does not see our hold: finish its runs before you upgrade. */
async function refuseIfFormerIsHeld(
  pool: PoolRef,
  { cluster, clock, signal }: RetryDeps & { cluster: Cluster },
): Promise<void> {
  const name = FORMER.leaseName(pool);
  const lease = await cluster.readLease(name, signal).catch((error: unknown) => {
    if (!(error instanceof Forbidden)) throw error; // rights that name the new Lease alone: nothing here uses the former
    return undefined;
  });
  if (lease && lease.holder !== '' && lease.renewedMs + lease.durationMs > clock.nowMs())
    throw new LeaseHeld(name, lease);
}

/**
 * The time left counts from before the request. Both clocks are asked: the wall clock may be set back, and the monotonic clock may
 * stand still while the machine sleeps.
 */
export function poolHold(take: () => Promise<void>, clock: Pick<Clock, 'nowMs' | 'monotonicMs'>): Hold {
  const read = () => ({ wallMs: clock.nowMs(), steadyMs: clock.monotonicMs?.() ?? 0 });
  let takenAt: ReturnType<typeof read> | undefined;
  return {
    async renew() {
      const before = read();
      try {
        await take();
        takenAt = before;
      } catch (error) {
        if (error instanceof LeaseHeld) takenAt = undefined;
        throw error;
      }
    },
    end() {
      takenAt = undefined;
    },
    leftMs() {
      if (!takenAt) return 0;
      const now = read();
      const passedMs = Math.max(now.wallMs - takenAt.wallMs, now.steadyMs - takenAt.steadyMs);
      return LEASE_MS - ON_ITS_WAY_MS - passedMs;
    },
  };
}

/** For work that takes longer than a hold lasts: renews the hold when a third of it has passed. */
export function holdRenewal(hold: Pick<Hold, 'renew'>, clock: Clock): { ifDue(): Promise<void> } {
  let renewedMs = clock.nowMs();
  return {
    ifDue: async () => {
      if (Math.abs(clock.nowMs() - renewedMs) < LEASE_MS / 3) return;
      await hold.renew();
      renewedMs = clock.nowMs();
    },
  };
}

/** The same for callers that cannot await. It ignores failures: the run takes the hold again before its next step. */
export function backgroundRenewal(
  hold: Pick<Hold, 'renew'>,
  clock: Clock,
): { ifDue(): void; settled(): Promise<void> } {
  const { ifDue } = holdRenewal(hold, clock);
  let last = Promise.resolve();
  return {
    ifDue: () => {
      last = last.then(ifDue).catch(() => undefined);
    },
    settled: () => last,
  };
}
