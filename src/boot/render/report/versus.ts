/// <reference lib="dom" />
// boot/render/report/versus.ts: what changed from the first boot to the others?
import type { ReportView } from '../report-data.ts';
import { linkTo } from './details.ts';
import { el } from './elements.ts';
import { BOOT_LETTERS, type Page } from './page-state.ts';
import { formatChange } from './time-window.ts';
import { shareText } from './wording.ts';

const CHANGES_SHOWN = 6;

/** One sentence about all boots; the reasons only if there are two. */
export function versusLine(views: readonly ReportView[]): HTMLElement[] {
  const parts = views.flatMap(({ against }) => (against ? [against] : []));
  if (parts.length === 0) return [];
  const text = parts.map((part) => (parts.length === 1 ? part.text + part.because : part.text)).join('; ');
  return [el('h2', { class: 'versus' }, `${text}.`)];
}

/** Totals are comparable only if they end with the same event. */
export function againstCard(page: Page, view: ReportView, boot: number): HTMLElement {
  const first = page.views[0]!;
  const changeUs = view.totalUs - first.totalUs;
  const isComparable = view.totalOf === first.totalOf;
  const share =
    first.totalUs > 0
      ? ` ${changeUs > 0 ? '+' : changeUs < 0 ? '−' : ''}${shareText(Math.abs(changeUs), first.totalUs)}`
      : '';
  return el(
    'article',
    { class: 'card changes' },
    el('h3', {}, `${BOOT_LETTERS[boot]} against A, on the critical path`),
    isComparable
      ? el('p', { class: 'what' }, el('strong', {}, formatChange(changeUs)), share)
      : el('p', { class: 'what' }, `Not comparable: A is ${first.totalOf}, ${BOOT_LETTERS[boot]} ${view.totalOf}.`),
    el(
      'ul',
      {},
      ...(isComparable ? (view.changes ?? []) : [])
        .slice(0, CHANGES_SHOWN)
        .map((change) =>
          el(
            'li',
            {},
            linkTo(page, change.id, change.name),
            el(
              'span',
              { class: `change ${change.explainsUs > 0 ? 'slower' : 'faster'}` },
              formatChange(change.explainsUs),
            ),
          ),
        ),
    ),
  );
}
