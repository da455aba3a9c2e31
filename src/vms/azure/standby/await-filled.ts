// vms/azure/standby/await-filled.ts: wait until a standby pool has all of its VMs in their states.
import type { CallOptions } from '../../../base/call-options.ts';
import type { Clock } from '../../../base/clock.ts';
import type { PoolRef } from '../../pools.ts';
import { STANDBY_TIERS, type Standby, type StandbyState } from '../../standby.ts';

const EVERY_MS = 10_000;

/** Without a deadline: Azure tries again by itself, also while it is degraded, and an interrupt ends only the wait. */
export async function awaitFilled(
  standby: Pick<Standby, 'readStandby'>,
  pool: PoolRef,
  clock: Clock,
  options: CallOptions = {},
): Promise<void> {
  for (;;) {
    const state = await standby.readStandby(pool, options);
    if (!state || missingIn(state) === 0) return;
    const what = `${missingIn(state)} standby VMs of ${pool.name}`;
    options.onWaiting?.([what, ...troubleOf(state)].join('; '));
    await clock.sleep(EVERY_MS, options.signal);
  }
}

/** A broken VM may take a place until someone deletes it. */
function troubleOf({ trouble, members }: StandbyState): string[] {
  const broken = members.filter(({ state }) => state === 'broken').map(({ why }) => why);
  return trouble === undefined ? broken : [trouble, ...broken];
}

function missingIn({ policy, members }: StandbyState): number {
  return STANDBY_TIERS.reduce((sum, tier) => {
    const ready = members.filter((member) => member.tier === tier && member.state === 'ready').length;
    return sum + Math.max(0, policy.counts[tier] - ready);
  }, 0);
}
