// boot/render/check/check-text.ts: one row of a boot check as one sentence, for reports that machines collect and people read.
import { formatSpan } from '../../../base/duration.ts';
import type { BootCheck, CheckRow } from '../../questions/check/check-boot.ts';

export function describeRow({ path, by, actualUs, limitUs, baseline, verdict, detail }: CheckRow): string {
  const verb = path.startsWith('milestones.') ? 'was reached after' : 'took';
  const actual = actualUs === undefined ? `${path} is unknown` : `${path} ${verb} ${formatSpan(actualUs)}`;
  const limit = limitUs === undefined ? '' : `, limit ${formatSpan(limitUs)}`;
  const boots = baseline ? ` (${describeSpread(baseline)})` : ` of the ${by}`;
  const why = detail === undefined ? '' : `: ${detail}`;
  const open = verdict === 'unknown' && actualUs !== undefined ? '; cannot be judged' : '';
  return `${actual}${limit}${limitUs === undefined ? '' : boots}${open}${why}`;
}

function describeSpread({ boots, fastestUs, slowestUs }: NonNullable<CheckRow['baseline']>): string {
  const range =
    fastestUs === slowestUs ? formatSpan(slowestUs) : `${formatSpan(fastestUs)} to ${formatSpan(slowestUs)}`;
  return `${range} in ${boots} baseline boot${boots === 1 ? '' : 's'}`;
}

export function summarise({ checks, isWithin, baseline }: BootCheck): string {
  const count = (verdict: CheckRow['verdict']) => checks.filter((check) => check.verdict === verdict).length;
  const harmless = checks.filter((row) => row.verdict === 'unknown' && !row.isFailure).length;
  const ignored = harmless > 0 ? ` (${harmless} of them do not fail the check)` : '';
  const counts = `${count('ok')} ok, ${count('exceeded')} exceeded, ${count('unknown')} unknown${ignored}`;
  const hasBudget = checks.some(({ by }) => by === 'budget');
  const limits = baseline ? (hasBudget ? 'budget and the baseline' : 'baseline') : 'budget';
  return `${isWithin ? 'Within' : 'Not within'} the ${limits}: ${counts}.`;
}
