// sims/azure/standby/size.ts: how many VMs does a standby pool keep, and in which states?
import { capacityOf } from '../compute/capacity.ts';
import { numberAt, stringAt } from '../service/json.ts';
import type { ParkedPower, SimScaleSet, SimStandbyPool } from '../world.ts';

/** Documented: of the scale set and its standby pool together. */
export const MOST_IN_ALL = 1000;

type Properties = Pick<SimStandbyPool, 'properties'>;

/** Documented: the maximum less the instances of the set, and not below the minimum. */
export function sizeOf({ properties }: Properties, set: Pick<SimScaleSet, 'top'>): number {
  const instances = capacityOf(set);
  const most = numberAt(properties, 'elasticityProfile', 'maxReadyCapacity') ?? 0;
  const least = numberAt(properties, 'elasticityProfile', 'minReadyCapacity') ?? 0;
  return Math.max(0, Math.min(Math.max(most - instances, least), MOST_IN_ALL - instances));
}

export type ParkedCounts = Record<ParkedPower, number>;

/** The rounding of a mix is not documented: the largest remainders get what is left. */
export function wantedCounts({ properties }: Properties, size: number): ParkedCounts {
  const counts: ParkedCounts = { running: 0, hibernated: 0, deallocated: 0 };
  const state = stringAt(properties, 'virtualMachineState');
  if (state === 'Mix') {
    const shares = (['running', 'hibernated', 'deallocated'] as const).map((power) => ({
      power,
      exact: (size * (numberAt(properties, 'vmStateDistribution', `${power}Percent`) ?? 0)) / 100,
    }));
    for (const { power, exact } of shares) counts[power] = Math.floor(exact);
    const left = size - shares.reduce((sum, { power }) => sum + counts[power], 0);
    const byRemainder = [...shares].sort((a, b) => (b.exact % 1) - (a.exact % 1));
    for (const { power } of byRemainder.slice(0, left)) counts[power] += 1;
  } else {
    counts[state === 'Hibernated' ? 'hibernated' : state === 'Deallocated' ? 'deallocated' : 'running'] = size;
  }
  return counts;
}
