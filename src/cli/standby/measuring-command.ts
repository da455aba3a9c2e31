// cli/standby/measuring-command.ts: which command claims a node of one tier, so that its time to Ready is measured? Pure.
import { STANDBY_TIERS, type StandbyCounts, type StandbyTier } from '../../vms/standby.ts';

/** A claim takes the fastest tier: the pool keeps no faster one meanwhile, and has its old numbers afterwards. `counts`: what it keeps now. */
export function measuringCommand(pool: string, tier: StandbyTier, counts: StandbyCounts | undefined): string {
  const keptOf = (one: StandbyTier) => counts?.[one] ?? 0;
  const faster = STANDBY_TIERS.slice(0, STANDBY_TIERS.indexOf(tier)).filter((one) => keptOf(one) > 0);
  const none = faster.map((one) => `--${one} 0`);
  const up = ['headstart standby up', pool, ...none, `--${tier} ${Math.max(1, keptOf(tier))}`].join(' ');
  const claim = `headstart standby claim ${pool}`;
  if (faster.length === 0) return `${up} && ${claim}`;
  const before = [...faster, tier].map((one) => `--${one} ${keptOf(one)}`);
  return `${up} && ${claim} --no-refill && ${['headstart standby up', pool, ...before].join(' ')}`;
}
