// vms/azure/standby/origin.ts: which of the set's new instances came from the standby pool? Pure; proven by id and instance view, never inferred from the time it took.
import type { Claim, StandbyMember, StandbyTier } from '../../standby.ts';
import type { StandbyVm } from './standby-vms.ts';

export interface Before {
  /** The VMs of the pool, just before the set grew. */
  members: readonly StandbyMember[];
  /** Of the service itself, in its words: `2 Creating`. */
  counts: string;
  trouble: string | undefined;
  hasPool: boolean;
}

export type ClaimOrigin = Pick<Claim, 'from' | 'why'>;

/** In the order of `vms`. */
export function originsOf(before: Before, vms: readonly StandbyVm[]): ClaimOrigin[] {
  const known = new Map(before.members.map((member) => [member.instance.id.toLowerCase(), member]));
  const taken = new Set<string>();
  const proven = vms.map(({ id, isInPool }) => {
    // Listed in the pool before, and marked by Azure as a VM that a pool made.
    const member = isInPool === undefined ? undefined : known.get(id.toLowerCase());
    if (member) taken.add(id.toLowerCase());
    return member;
  });
  const left = before.members.filter(
    ({ state, instance }) => state === 'ready' && !taken.has(instance.id.toLowerCase()),
  );
  return vms.map(({ isInPool }, i) => {
    const member = proven[i];
    if (member) return fromTier(member.tier, before);
    if (isInPool !== undefined)
      return { from: 'cold', why: 'Azure says a standby pool made it, but it was not in the pool before the claim' };
    return { from: 'cold', why: whyCold(before, left.length) };
  });
}

function fromTier(tier: StandbyTier, { members }: Before): ClaimOrigin {
  const faster = { paused: [], frozen: ['paused'], stopped: ['paused', 'frozen'] }[tier] as StandbyTier[];
  const waiting = members.filter((one) => faster.includes(one.tier) && one.state !== 'ready').length;
  return waiting === 0 ? { from: tier } : { from: tier, why: `${waiting} of a faster tier were not ready` };
}

function whyCold({ members, counts, trouble, hasPool }: Before, leftReady: number): string {
  if (!hasPool) return 'the scale set has no standby pool';
  if (leftReady > 0)
    return `Azure made a new VM although ${leftReady} in standby were ready: another client took them, or their reuse failed`;
  const isEmpty = members.length === 0 && counts === '';
  const state = isEmpty ? 'the standby pool is empty' : `the standby pool had no more ready VMs: ${counts || 'none'}`;
  return trouble === undefined ? state : `${state}; ${trouble}`;
}
