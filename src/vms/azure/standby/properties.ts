// vms/azure/standby/properties.ts: a policy as the properties of a standby pool, and back. Pure.
import { STANDBY_TIERS, type StandbyCounts, type StandbyTier } from '../../standby.ts';
import type { AzureStandbyPool } from './schema.ts';

type Properties = AzureStandbyPool['properties'];

/** What Azure calls each tier. */
export const STATES: Readonly<Record<StandbyTier, 'Running' | 'Hibernated' | 'Deallocated'>> = {
  paused: 'Running',
  frozen: 'Hibernated',
  stopped: 'Deallocated',
};

const PERCENTS = { paused: 'runningPercent', frozen: 'hibernatedPercent', stopped: 'deallocatedPercent' } as const;

/**
 * Azure counts the instances of the set against the maximum, but never keeps less than the minimum: with both equal, the number does
 * not depend on the size of the set.
 */
export function propertiesOf(counts: StandbyCounts, scaleSetId: string): Properties {
  const size = sizeOf(counts);
  const used = STANDBY_TIERS.filter((tier) => counts[tier] > 0);
  const [only = 'paused', ...others] = used;
  return {
    attachedVirtualMachineScaleSetId: scaleSetId,
    elasticityProfile: { maxReadyCapacity: size, minReadyCapacity: size },
    ...(others.length === 0
      ? { virtualMachineState: STATES[only] }
      : { virtualMachineState: 'Mix', vmStateDistribution: percentsOf(counts) }),
  };
}

export function sizeOf(counts: StandbyCounts): number {
  return STANDBY_TIERS.reduce((sum, tier) => sum + counts[tier], 0);
}

/** Whole numbers that add up to 100; above 50 instances they can be off by an instance or more. */
function percentsOf(counts: StandbyCounts): Record<(typeof PERCENTS)[StandbyTier], number> {
  const size = sizeOf(counts);
  const shares = shared(
    100,
    STANDBY_TIERS.map((tier) => counts[tier] / size),
  );
  const [runningPercent = 0, hibernatedPercent = 0, deallocatedPercent = 0] = shares;
  return { runningPercent, hibernatedPercent, deallocatedPercent };
}

/** What the pool keeps now, for a set of this many instances; also of a pool that someone else made. */
export function countsOf(properties: Properties, instances: number): StandbyCounts {
  const { maxReadyCapacity: most = 0, minReadyCapacity: least } = properties.elasticityProfile ?? {};
  const size = Math.max(0, most - instances, least ?? 0);
  const counts = { paused: 0, frozen: 0, stopped: 0 };
  if (properties.virtualMachineState === 'Mix') {
    const distribution = properties.vmStateDistribution;
    const shares = shared(
      size,
      STANDBY_TIERS.map((tier) => (distribution?.[PERCENTS[tier]] ?? 0) / 100),
    );
    for (const [i, tier] of STANDBY_TIERS.entries()) counts[tier] = shares[i] ?? 0;
    return counts;
  }
  const tier = STANDBY_TIERS.find((one) => STATES[one] === properties.virtualMachineState);
  if (tier) counts[tier] = size;
  return counts;
}

/** Shares as whole numbers that add up to `total`: the largest remainders get what is left. */
function shared(total: number, shares: readonly number[]): number[] {
  const exact = shares.map((share) => share * total);
  const whole = exact.map((share) => Math.floor(share + 1e-9));
  const left = total - whole.reduce((sum, share) => sum + share, 0);
  const byRemainder = exact
    .map((share, i) => ({ i, remainder: share - (whole[i] ?? 0) }))
    .filter((_, i) => (shares[i] ?? 0) > 0)
    .sort((a, b) => b.remainder - a.remainder || a.i - b.i);
  for (const { i } of byRemainder.slice(0, left)) whole[i] = (whole[i] ?? 0) + 1;
  return whole;
}
