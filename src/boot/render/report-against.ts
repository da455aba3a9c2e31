// boot/render/report-against.ts: how does a boot differ from the first one of the report, in one sentence?
import { roundSpan } from '../questions/path/findings.ts';
import { shareText } from './report/wording.ts';
import type { Against, PathChange, ReportView } from './report-data.ts';

/** Smaller parts of the difference are in the table of changes. */
const WORTH_NAMING = 0.08;
const MOST_NAMED = 3;

export function againstFirst(
  first: Pick<ReportView, 'totalUs' | 'totalOf' | 'segments'>,
  view: Pick<ReportView, 'totalUs' | 'totalOf' | 'segments' | 'changes'>,
  letter: string,
): Against {
  const isMeasured = first.segments.length > 0 && view.segments.length > 0;
  if (!isMeasured || first.totalOf !== view.totalOf) {
    const text = `${letter} is not comparable with A: A is ${first.totalOf}, ${letter} ${view.totalOf}`;
    return { text, because: '' };
  }
  const changeUs = view.totalUs - first.totalUs;
  if (changeUs === 0) return { text: `${letter} takes as long as A`, because: '' };
  const direction = changeUs < 0 ? 'sooner' : 'later';
  const share = `${changeUs < 0 ? '−' : '+'}${shareText(Math.abs(changeUs), first.totalUs).replace(' ', '\u00a0')}`;
  return {
    text: `${letter} is ${roundSpan(Math.abs(changeUs))} ${direction} than A (${share})`,
    because: reasons(view.changes ?? [], changeUs),
  };
}

/** Only changes in the direction of the difference. */
function reasons(changes: readonly PathChange[], changeUs: number): string {
  const parts = changes
    .filter(({ explainsUs }) => explainsUs / changeUs >= WORTH_NAMING)
    .sort((a, b) => b.explainsUs / changeUs - a.explainsUs / changeUs)
    .slice(0, MOST_NAMED)
    .map(({ name, explainsUs }, at) => `${roundSpan(Math.abs(explainsUs))}${at === 0 ? ' of it is' : ''} ${name}`);
  return parts.length > 0 ? `: ${parts.join('; ')}` : '';
}
