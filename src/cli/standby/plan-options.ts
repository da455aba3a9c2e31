// cli/standby/plan-options.ts: parses the options of `standby plan`: the objective, and times to Ready that were measured elsewhere.
import { InvalidArgumentError } from 'commander';
import { parseSpan } from '../../base/duration.ts';
import type { Objective, ReadyTier } from '../../standby/plan/question.ts';
import { STANDBY_TIERS } from '../../vms/standby.ts';

/** `95% within 10s`. */
export function objective(text: string): Objective {
  const [, percent, span] = /^\s*(\d{1,2}(?:\.\d{1,3})?)\s*%\s*(?:Ready\s+)?within\s+(.+?)\s*$/i.exec(text) ?? [];
  const us = span === undefined ? undefined : parseSpan(span);
  const quantile = Number((Number(percent) / 100).toFixed(5));
  if (us === undefined || us <= 0 || !(quantile > 0))
    throw new InvalidArgumentError(`"${text}" is not of the form "95% within 10s" (above 0%, below 100%).`);
  return { quantile, withinMs: us / 1000 };
}

export type TierTimes = Partial<Record<ReadyTier, number[]>>;

/** `paused=1s,frozen=2s,frozen=2.3s`: a tier may have several values. Adds to what an earlier use of the option gave. */
export const readyTimes = (text: string, before?: TierTimes) => tierTimes(text, before, [...STANDBY_TIERS, 'cold']);
export const refillTimes = (text: string, before?: TierTimes) => tierTimes(text, before, STANDBY_TIERS);

function tierTimes(text: string, before: TierTimes = {}, tiers: readonly ReadyTier[]): TierTimes {
  const times = structuredClone(before);
  for (const part of text.split(',')) {
    const [name, span = ''] = part.split('=').map((word) => word.trim());
    const tier = tiers.find((one) => one === name);
    const us = parseSpan(span);
    if (tier === undefined || us === undefined || us <= 0)
      throw new InvalidArgumentError(
        `"${part}" is not of the form TIER=TIME, with ${tiers.join(', ')}, as in frozen=2s.`,
      );
    times[tier] = [...(times[tier] ?? []), us / 1000];
  }
  return times;
}
