/// <reference lib="dom" />
// boot/render/report/details.ts: what is known about one span? A short tooltip, and the details next to the chart.
import { formatSpan } from '../../../base/duration.ts';
import type { ReportRow, ReportView } from '../report-data.ts';
import { lineColour } from './colours.ts';
import { byId, el } from './elements.ts';
import type { Line } from './lines.ts';
import { BOOT_LETTERS, type Page } from './page-state.ts';
import { formatChange } from './time-window.ts';

const MAX_LISTED = 40;

export function showTip(page: Page, line: Line | undefined, event: MouseEvent): void {
  const tip = byId('tip');
  tip.hidden = !line;
  if (!line) return;
  if (line.isGroup) tip.hidden = true;
  tip.replaceChildren(
    el('strong', {}, line.name),
    ...page.views.map((view, boot) => el('dl', {}, ...factsOfSpan(page, view, line, boot))),
    ...(line.children.length > 0 ? [el('p', {}, `${line.children.length} spans inside: press → to expand`)] : []),
  );
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 16, window.innerWidth - width - 8);
  const top = event.clientY + height + 24 > window.innerHeight ? event.clientY - height - 12 : event.clientY + 18;
  tip.style.transform = `translate(${Math.max(8, left)}px, ${Math.max(8, top)}px)`;
}

function factsOfSpan(page: Page, view: ReportView, line: Line, boot: number): Node[] {
  const bar = line.bars[boot];
  const title = page.views.length > 1 ? [el('dt', { class: 'boot' }, `${BOOT_LETTERS[boot]} ${view.label}`)] : [];
  if (!bar) return [...title, el('dd', {}, 'not in this boot')];
  const facts: [string, string | undefined][] = [
    ['duration', formatSpan(bar.endUs - bar.startUs)],
    ['start', `${formatSpan(bar.startUs)}${wallTime(view, bar.startUs)}`],
    ['source', bar.source],
    ['waited for', bar.wait],
    ['result', bar.result === 'fail' ? 'failed' : bar.result === 'warn' ? 'finished with warnings' : undefined],
    ['critical path', page.critical[boot]!.has(line.id) ? 'yes' : undefined],
    ['last dependency', lastBefore(view, bar)],
    ['about', bar.detail],
  ];
  return [
    ...title,
    ...(title.length > 0 ? [el('dd', {})] : []),
    ...facts.flatMap(([name, value]) => (value === undefined ? [] : [el('dt', {}, name), el('dd', {}, value)])),
  ];
}

/** The bar waited for the last of its dependencies that ended before it started; `after` has the last one first. */
function lastBefore(view: ReportView, bar: ReportRow): string | undefined {
  const before = bar.after?.map((index) => view.rows[index]!).find((row) => row.endUs <= bar.startUs);
  return before && `${before.name}, ready ${formatSpan(bar.startUs - before.endUs)} earlier`;
}

function wallTime(view: ReportView, atUs: number): string {
  if (view.wallAtZeroUs === undefined) return '';
  const at = new Date((view.wallAtZeroUs + atUs) / 1000);
  return Number.isNaN(at.getTime()) ? '' : `  (${at.toISOString().slice(11, 23)} UTC)`;
}

export function showDetails(page: Page, line: Line | undefined): void {
  const drawer = byId('details');
  drawer.hidden = !line;
  if (!line) return;
  const close = el('button', { class: 'close', 'aria-label': 'Close details' }, '×');
  close.addEventListener('click', () => page.select(undefined));
  const [first] = line.bars;
  const changed = line.bars.flatMap((bar, boot) => {
    if (boot === 0 || !first || !bar) return [];
    const changeUs = bar.endUs - bar.startUs - (first.endUs - first.startUs);
    return [el('p', { class: 'headline' }, `${formatChange(changeUs)} from A to ${BOOT_LETTERS[boot]}`)];
  });
  drawer.replaceChildren(
    el('header', {}, el('i', { class: `dot src-${lineColour(line)}` }), el('h2', {}, line.name), close),
    ...changed,
    ...page.views.map((view, boot) => el('dl', {}, ...factsOfSpan(page, view, line, boot))),
    ...listed(
      'Inside',
      line.children.map((child) => link(page, child.id, child.name, formatSpan(child.tookUs))),
    ),
    ...page.views.flatMap((view, boot) => {
      const rows = (line.bars[boot]?.after ?? []).map((index) => view.rows[index]!);
      const which = page.views.length > 1 ? ` in ${BOOT_LETTERS[boot]}` : '';
      return listed(
        `Ordered after${which}`,
        rows.map((row) => link(page, row.id, row.name, `ready ${formatSpan(row.endUs)}`)),
      );
    }),
  );
}

function listed(title: string, items: HTMLElement[]): Node[] {
  if (items.length === 0) return [];
  const more = items.length - MAX_LISTED;
  return [
    el('h3', {}, `${title} (${items.length})`),
    el('ul', {}, ...items.slice(0, MAX_LISTED), more > 0 ? el('li', {}, `and ${more} more`) : undefined),
  ];
}

function link(page: Page, id: string, name: string, note: string): HTMLElement {
  return el('li', {}, linkTo(page, id, name), el('span', { class: 'num' }, note));
}

export function linkTo(page: Page, id: string, name: string): HTMLElement {
  if (!page.lines.has(id)) return el('span', {}, name);
  const button = el('button', { class: 'link', title: name }, name);
  button.addEventListener('click', () => page.reveal(id));
  return button;
}
