// boot/render/report/wording.ts: how are savings, dates and shares written, in the page and where scripts do not run?
import { formatSpan } from '../../../base/duration.ts';
import type { BootFinding } from '../../questions/path/findings.ts';
import type { ReportView } from '../report-data.ts';

export function savingText(saving: BootFinding['saving']): string {
  if ('unknown' in saving) return `Saving unknown: ${saving.unknown}.`;
  const { savedUs, of, note } = saving;
  if (savedUs <= 0) return `Without it, ${of} would not be reached sooner: ${note ?? 'something else takes as long'}.`;
  const limit = `Without it, ${of} is reached at most ${formatSpan(savedUs)} sooner.`;
  return note === undefined ? limit : `${limit} Note: ${note}.`;
}

export function bootDate({ wallAtZeroUs }: Pick<ReportView, 'wallAtZeroUs'>): string {
  const at = new Date((wallAtZeroUs ?? Number.NaN) / 1000);
  if (Number.isNaN(at.getTime())) return 'date of the boot unknown';
  return `booted ${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A path without segments has no total that an input measures. */
export function totalText({ totalUs, segments }: Pick<ReportView, 'totalUs' | 'segments'>): string {
  return segments.length === 0 ? 'unknown' : formatSpan(totalUs);
}

export function shareText(us: number, totalUs: number): string {
  const percents = totalUs > 0 ? (100 * us) / totalUs : 0;
  return percents > 0 && percents < 1 ? '<1 %' : `${Math.round(percents)} %`;
}
