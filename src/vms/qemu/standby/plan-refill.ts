// vms/qemu/standby/plan-refill.ts: which standby instances does a pool discard, and which does it prepare? Pure.
import { STANDBY_TIERS, type StandbyCounts, type StandbyTier } from '../../standby.ts';
import type { Judgement } from './judge-member.ts';

export interface JudgedMember extends Judgement {
  id: string;
  tier: StandbyTier;
}

export interface RefillPlan {
  discard: JudgedMember[];
  prepare: StandbyTier[];
  /** Replaced one by one, after the pool is full: an old one is better than none. */
  refresh: JudgedMember[];
}

/** Members are given oldest first; the surplus of a tier is discarded, the oldest first. */
export function planRefill(members: readonly JudgedMember[], counts: StandbyCounts): RefillPlan {
  const plan: RefillPlan = { discard: [], prepare: [], refresh: [] };
  for (const tier of STANDBY_TIERS) {
    const ofTier = members.filter((member) => member.tier === tier);
    const usable = ofTier.filter(({ verdict }) => verdict !== 'discard');
    const byNeed = [...usable].sort((a, b) => Number(a.verdict === 'use') - Number(b.verdict === 'use'));
    const surplus = byNeed
      .slice(0, Math.max(0, usable.length - counts[tier]))
      .map((member) => ({ ...member, why: `the pool keeps ${counts[tier]} ${tier}` }));
    const kept = usable.filter(({ id }) => !surplus.some((member) => member.id === id));
    plan.discard.push(...ofTier.filter(({ verdict }) => verdict === 'discard'), ...surplus);
    plan.refresh.push(...kept.filter(({ verdict }) => verdict === 'refresh'));
    for (let missing = counts[tier] - kept.length; missing > 0; missing--) plan.prepare.push(tier);
  }
  return plan;
}
