// prototype/run/hold-pool.ts: one at a time on a pool: who has it, for how long, and how is the hold kept through a long step?
import type { Clock } from '../../base/clock.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { PoolRef } from '../../vms/pools.ts';
import { leaseName } from '../names.ts';
import { type RetryDeps, withRetries } from './with-retries.ts';

/** A hold outlives a slow step, and a dead run is taken over within the quarter of an hour. */
const LEASE_MS = 15 * 60_000;

/** Takes the hold, or renews it: one try, which goes on when the run is interrupted, for the donor still has to come home. */
export type Hold = () => Promise<void>;

/** A hold that could not be given back ends by itself. */
export async function withPoolHold<T>(
  asked: { pool: PoolRef; holder: string; note: string },
  deps: RetryDeps & { cluster: Cluster },
  work: (hold: Hold) => Promise<T>,
): Promise<T> {
  const { holder, note } = asked;
  const name = leaseName(asked.pool.name);
  const hold = () => deps.cluster.holdLease(name, { holder, durationMs: LEASE_MS, note });
  await withRetries('hold-lease', hold, deps);
  try {
    return await work(hold);
  } finally {
    await deps.cluster.releaseLease(name, holder).catch(() => undefined);
  }
}

/** For what takes longer than a hold lasts: renews it when a third of it is over. */
export function holdRenewal(hold: Hold, clock: Clock): { ifDue(): Promise<void> } {
  let renewedMs = clock.nowMs();
  return {
    ifDue: async () => {
      if (clock.nowMs() - renewedMs < LEASE_MS / 3) return;
      await hold();
      renewedMs = clock.nowMs();
    },
  };
}

/** The same from where nothing can be awaited. A renewal that fails is told at the next look, which cannot do without. */
export function backgroundRenewal(hold: Hold, clock: Clock): { ifDue(): void; settled(): Promise<void> } {
  const { ifDue } = holdRenewal(hold, clock);
  let last = Promise.resolve();
  return {
    ifDue: () => {
      last = last.then(ifDue).catch(() => undefined);
    },
    settled: () => last,
  };
}
