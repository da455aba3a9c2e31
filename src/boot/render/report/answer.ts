/// <reference lib="dom" />
// boot/render/report/answer.ts: where did the time go? One sentence, one bar that adds up to the total, and the first things to look at.
import { formatSpan } from '../../../base/duration.ts';
import type { ReportView } from '../report-data.ts';
import { linkTo } from './details.ts';
import { byId, el } from './elements.ts';
import { BOOT_LETTERS, type Page, percent } from './page-state.ts';
import { formatChange } from './time-window.ts';
import { bootDate, savingText, shareText, totalText } from './wording.ts';

type Segment = ReportView['segments'][number];

export const GROUP_COLOURS: Readonly<Record<Segment['group'], string>> = {
  platform: 'platform',
  kernel: 'kernel',
  'early units': 'systemd',
  'cloud-init': 'cloud-init',
  agents: 'node-config',
  'later units': 'systemd',
  kubelet: 'kubelet',
  cluster: 'cluster',
};

/** Narrower segments are drawn, but are no buttons: they could not be hit. */
const BUTTON_SHARE = 0.006;
const LABEL_SHARE = 0.055;
const CHANGES_SHOWN = 4;

export function fillAnswer(page: Page): void {
  const { views } = page;
  const [first] = views;
  byId('answer').replaceChildren(
    ...views.map((view, boot) => answerOf(page, view, boot)),
    el(
      'div',
      { class: 'cards' },
      ...views.flatMap((view, boot) => (view.changes ? [againstFirst(page, view, boot)] : [])),
      ...(views.length > 2 ? [] : findingCards(page, views.length - 1)),
    ),
  );
  const system = first!.facts.find(({ name }) => name === 'system')?.value;
  byId('when').textContent =
    views.length === 1 ? [first!.host, bootDate(first!), system].filter(Boolean).join(' · ') : '';
  byId('mini').textContent = views
    .map((view, boot) => `${views.length > 1 ? `${BOOT_LETTERS[boot]} ` : ''}${totalText(view)}`)
    .join(' · ');
}

function answerOf(page: Page, view: ReportView, boot: number): HTMLElement {
  const longestUs = Math.max(1, ...page.views.map(({ totalUs }) => totalUs));
  const isSeveral = page.views.length > 1;
  const bar = el('div', { class: 'path-bar', role: 'group', 'aria-label': `Critical path: ${view.sentence}` });
  bar.append(...view.segments.map((segment) => segmentOf(page, view, segment)));
  const groups = el('div', { class: 'groups', 'aria-hidden': 'true' });
  groups.append(...groupRuns(view).map((run) => groupLabel(view, run)));
  bar.style.width = percent(view.totalUs / longestUs);
  const about = [view.label, view.host === view.label ? '' : view.host, bootDate(view)].filter(Boolean).join(' · ');
  return el(
    'article',
    { class: `answer boot-${boot}` },
    el(
      'h2',
      {},
      isSeveral ? el('i', { class: `letter boot-${boot}` }, BOOT_LETTERS[boot]!) : undefined,
      view.sentence,
      isSeveral ? el('small', {}, about) : undefined,
    ),
    bar,
    groups,
    isSeveral ? undefined : sums(view),
  );
}

function segmentOf(page: Page, view: ReportView, segment: Segment): HTMLElement {
  const { kind, name, startUs, endUs } = segment;
  const share = view.totalUs > 0 ? (endUs - startUs) / view.totalUs : 0;
  const what = kind === 'gap' ? 'no input explains the time' : kind;
  const title = `${name}: ${formatSpan(endUs - startUs)}, ${shareText(endUs - startUs, view.totalUs)} (${segment.wait ?? what})`;
  const isButton = share >= BUTTON_SHARE;
  const part = el(isButton ? 'button' : 'i', {
    class: `seg ${kind} src-${GROUP_COLOURS[segment.group]}`,
    title,
    'data-us': String(endUs - startUs),
  });
  part.style.flexGrow = String(Math.max(1, endUs - startUs));
  if (share >= LABEL_SHARE)
    part.append(el('b', {}, kind === 'gap' ? 'unexplained' : name), el('span', {}, formatSpan(endUs - startUs)));
  if (!isButton) return part;
  part.setAttribute('aria-label', title);
  part.addEventListener('click', () => showSegment(page, segment));
  return part;
}

/** Zooms to the time; selects the row if there is one. */
function showSegment(page: Page, { id, startUs, endUs }: Pick<Segment, 'startUs' | 'endUs'> & { id?: string }): void {
  const marginUs = Math.max(500, (endUs - startUs) * 0.08);
  if (id !== undefined && page.lines.has(id)) page.reveal(id);
  page.zoomTo({ fromUs: startUs - marginUs, toUs: endUs + marginUs });
  byId('panel-waterfall').scrollIntoView?.({ block: 'nearest' });
}

interface GroupRun {
  group: string;
  us: number;
}

function groupRuns(view: ReportView): GroupRun[] {
  const runs: GroupRun[] = [];
  for (const { group, startUs, endUs } of view.segments) {
    const last = runs.at(-1);
    if (last?.group === group) last.us += endUs - startUs;
    else runs.push({ group, us: endUs - startUs });
  }
  return runs;
}

function groupLabel(view: ReportView, { group, us }: GroupRun): HTMLElement {
  const label = el('span', { title: `${group} ${formatSpan(us)}` });
  label.style.flexGrow = String(Math.max(1, us));
  if (us / Math.max(1, view.totalUs) >= LABEL_SHARE) label.append(group, ' ', el('b', {}, formatSpan(us)));
  return label;
}

function sums(view: ReportView): HTMLElement {
  const of = (kind: Segment['kind']) =>
    view.segments.reduce((us, one) => us + (one.kind === kind ? one.endUs - one.startUs : 0), 0);
  const item = (className: string, name: string, us: number) =>
    el('li', {}, el('i', { class: `dot ${className}` }), `${name} `, el('b', {}, formatSpan(us)));
  return el(
    'ul',
    { class: 'sums' },
    el('li', { class: 'total' }, el('strong', {}, totalText(view)), ` ${view.totalOf}`),
    item('seg work src-systemd', 'work on the path', of('work')),
    item('seg wait src-systemd', 'waits on the path', of('wait')),
    item('seg gap', 'unexplained', of('gap')),
  );
}

function findingCards(page: Page, boot: number): HTMLElement[] {
  const view = page.views[boot]!;
  const letter = page.views.length > 1 ? `${BOOT_LETTERS[boot]}: ` : '';
  const seen = new Set<string>();
  return view.findings.map((finding) => {
    const { kind, name, inside, id, tookUs, saving, command } = finding;
    const title = kind === 'gap' ? 'Largest unexplained gap' : `${seen.has(kind) ? 'Next' : 'Largest'} ${kind}`;
    seen.add(kind);
    const show = el('button', { class: 'link', title: name }, name);
    show.addEventListener('click', () => showSegment(page, { ...finding, ...(id !== undefined && { id }) }));
    return el(
      'article',
      { class: `card finding ${kind}` },
      el('h3', {}, `${letter}${title}`),
      el('p', { class: 'what' }, el('strong', {}, formatSpan(tookUs)), ` ${shareText(tookUs, view.totalUs)} `),
      el('p', { class: 'where' }, show, inside === undefined ? undefined : ` in ${inside}`),
      el('p', { class: 'saving' }, savingText(saving)),
      el('p', { class: 'command' }, el('code', { title: command }, command), copyButton(command)),
    );
  });
}

function copyButton(command: string): HTMLElement {
  const button = el('button', { class: 'tool', 'aria-label': `Copy ${command}` }, 'Copy');
  button.addEventListener('click', () => {
    const copied = navigator.clipboard?.writeText(command);
    if (!copied) return;
    copied.then(
      () => {
        button.textContent = 'Copied';
      },
      () => {
        button.textContent = 'Select it';
      },
    );
  });
  return button;
}

/** Totals are comparable only if they end with the same event. */
function againstFirst(page: Page, view: ReportView, boot: number): HTMLElement {
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
