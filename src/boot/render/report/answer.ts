/// <reference lib="dom" />
// boot/render/report/answer.ts: where did the time go? One sentence, one bar that adds up to the total, and the first things to look at.
import { formatSpan } from '../../../base/duration.ts';
import type { ReportView } from '../report-data.ts';
import { groupColour } from './colours.ts';
import { byId, el } from './elements.ts';
import { BOOT_LETTERS, type Page, percent } from './page-state.ts';
import { scrollToPanel } from './toolbar.ts';
import { againstCard, versusLine } from './versus.ts';
import { bootDate, savingText, shareText, totalText } from './wording.ts';

type Segment = ReportView['segments'][number];

/** Narrower segments are drawn, but are no buttons: they could not be hit. */
const BUTTON_SHARE = 0.006;
const LABEL_SHARE = 0.055;

export function fillAnswer(page: Page): void {
  const { views } = page;
  const [first] = views;
  byId('answer').replaceChildren(
    ...versusLine(views),
    ...views.map((view, boot) => answerOf(page, view, boot)),
    ...(views.length > 2 ? [legend(views)] : []),
    el('div', { class: 'cards' }, ...cards(page)),
  );
  const system = first!.facts.find(({ name }) => name === 'system')?.value;
  byId('when').textContent = views.length === 1 ? [aboutBoot(first!), system].filter(Boolean).join(' · ') : '';
  byId('mini').textContent = views
    .map((view, boot) => `${views.length > 1 ? `${BOOT_LETTERS[boot]} ` : ''}${totalText(view)}`)
    .join(' · ');
}

/** Input, host and date. */
function aboutBoot(view: ReportView): string {
  return [view.label, view.host === view.label ? '' : view.host, bootDate(view)].filter(Boolean).join(' · ');
}

/** More than two boots have room for one finding each. */
function cards(page: Page): HTMLElement[] {
  const { views } = page;
  if (views.length > 2) return views.flatMap((_, boot) => findingCards(page, boot).slice(0, 1));
  const versus = views.flatMap((view, boot) => (view.changes ? [againstCard(page, view, boot)] : []));
  return [...versus, ...findingCards(page, views.length - 1)];
}

function answerOf(page: Page, view: ReportView, boot: number): HTMLElement {
  const longestUs = Math.max(1, ...page.views.map(({ totalUs }) => totalUs));
  const isSeveral = page.views.length > 1;
  const bar = el('div', { class: 'path-bar', role: 'group', 'aria-label': `Critical path: ${view.sentence}` });
  bar.append(...view.segments.map((segment) => segmentOf(page, view, segment)));
  bar.style.width = percent(view.totalUs / longestUs);
  return el(
    'article',
    { class: `answer boot-${boot}` },
    el(
      'h2',
      {},
      isSeveral ? el('i', { class: `letter boot-${boot}` }, BOOT_LETTERS[boot]!) : undefined,
      isSeveral ? el('span', { class: 'sentence' }, view.sentence) : view.sentence,
      isSeveral ? el('small', {}, aboutBoot(view)) : undefined,
    ),
    bar,
    page.views.length > 2 ? undefined : sums(view),
  );
}

function segmentOf(page: Page, view: ReportView, segment: Segment): HTMLElement {
  const { kind, name, startUs, endUs } = segment;
  const share = view.totalUs > 0 ? (endUs - startUs) / view.totalUs : 0;
  const what = kind === 'gap' ? 'no input explains the time' : kind;
  const title = `${name}: ${formatSpan(endUs - startUs)}, ${shareText(endUs - startUs, view.totalUs)} (${segment.wait ?? what})`;
  const isButton = share >= BUTTON_SHARE;
  const part = el(isButton ? 'button' : 'i', {
    class: `seg ${kind} src-${groupColour(segment.group)}`,
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
  scrollToPanel('waterfall');
}

/** Parts of the boot, then waits and gaps: they add up to the total. */
function sums(view: ReportView): HTMLElement {
  const usOf = (isOne: (segment: Segment) => boolean) =>
    view.segments.reduce((us, one) => us + (isOne(one) ? one.endUs - one.startUs : 0), 0);
  const item = (className: string, name: string, us: number) =>
    el(
      'li',
      { title: shareText(us, view.totalUs), 'data-us': String(us) },
      el('i', { class: `dot ${className}` }),
      `${name} `,
      el('b', {}, formatSpan(us)),
    );
  return el(
    'ul',
    { class: 'sums' },
    el('li', { class: 'total' }, el('strong', {}, totalText(view)), ` ${view.totalOf}`),
    ...workGroups([view]).map((group) =>
      item(
        `seg work src-${groupColour(group)}`,
        group,
        usOf((one) => one.kind === 'work' && one.group === group),
      ),
    ),
    item(
      'seg wait src-systemd',
      'waits on the path',
      usOf(({ kind }) => kind === 'wait'),
    ),
    item(
      'seg gap',
      'unexplained',
      usOf(({ kind }) => kind === 'gap'),
    ),
  );
}

function workGroups(views: readonly ReportView[]): Segment['group'][] {
  return [
    ...new Set(views.flatMap(({ segments }) => segments.flatMap((one) => (one.kind === 'work' ? [one.group] : [])))),
  ];
}

/** The colours alone: the sums of many boots would fill the screen. */
function legend(views: readonly ReportView[]): HTMLElement {
  const item = (className: string, name: string) => el('li', {}, el('i', { class: `dot ${className}` }), name);
  return el(
    'ul',
    { class: 'sums' },
    ...workGroups(views).map((group) => item(`seg work src-${groupColour(group)}`, group)),
    item('seg wait src-systemd', 'wait'),
    item('seg gap', 'unexplained'),
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
      el('p', { class: 'command' }, copyButton(command), el('code', {}, ...shellWords(command))),
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

/** A line break inside a word would look like a space in the command. */
function shellWords(command: string): (HTMLElement | string)[] {
  return command.split(' ').flatMap((word, at) => [at === 0 ? '' : ' ', el('span', { class: 'word' }, word)]);
}
