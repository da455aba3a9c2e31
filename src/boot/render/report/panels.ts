/// <reference lib="dom" />
// boot/render/report/panels.ts: the panels around the chart: slowest spans, critical path, changes, inputs.
import { formatSpan } from '../../../base/duration.ts';
import type { ReportView } from '../report-data.ts';
import { GROUP_COLOURS } from './answer.ts';
import { linkTo } from './details.ts';
import { byId, el } from './elements.ts';
import { type Line, lineDifferences } from './lines.ts';
import { BOOT_LETTERS, type Page, percent } from './page-state.ts';
import { formatChange } from './time-window.ts';
import { bootDate, shareText, totalText } from './wording.ts';

const MANY_ROWS = 100;

const ZERO_NAMES = { kernel: 'kernel start', userspace: 'userspace start', 'first-event': 'the first event' };

export function fillPanels(page: Page): void {
  const others = page.views.map((_, boot) => boot).slice(1);
  byId('panel-slowest').replaceChildren(...page.views.flatMap((_, boot) => slowest(page, boot)));
  byId('panel-path').replaceChildren(...page.views.flatMap((view, boot) => pathTable(page, view, boot)));
  byId('panel-about').replaceChildren(...page.views.flatMap((view, boot) => about(page, view, boot)));
  byId('zero').textContent = `· times from ${ZERO_NAMES[page.views[0]!.zero]}`;
  byId('panel-changes').replaceChildren(...others.flatMap((boot) => changes(page, boot)));
  byId('tab-changes').hidden = others.length === 0;
  const warnings = page.views.flatMap((view) => view.notes).filter((note) => note.level === 'warning').length;
  if (warnings > 0) byId('tab-about').append(el('span', { class: 'count warn' }, String(warnings)));
}

function bootTitle(page: Page, boot: number): string {
  return page.views.length > 1 ? `${BOOT_LETTERS[boot]} · ${page.views[boot]!.label}` : page.views[boot]!.label;
}

function slowest(page: Page, boot: number): HTMLElement[] {
  const timed = [...page.lines.values()]
    .filter(({ bars, isGroup }) => !isGroup && (bars[boot]?.endUs ?? 0) > (bars[boot]?.startUs ?? 0))
    .sort((a, b) => tookUs(b, boot) - tookUs(a, boot));
  const longestUs = timed[0] ? tookUs(timed[0], boot) : 1;
  const row = (line: Line) => {
    const bar = line.bars[boot]!;
    return [
      formatSpan(tookUs(line, boot)),
      gauge(tookUs(line, boot) / longestUs, `src-${line.source}${bar.wait ? ' wait' : ''}`),
      linkTo(page, line.id, line.name),
      bar.wait ?? (line.parent && !line.parent.isGroup ? `inside ${line.parent.name}` : ''),
      formatSpan(bar.startUs),
      page.critical[boot]!.has(line.id) ? 'on the path' : '',
      line.source,
    ];
  };
  const heads = ['#took', '', 'what', '', '#start', '', 'source'];
  return [
    ...titledTable(
      `Work, longest first: ${bootTitle(page, boot)}`,
      heads,
      timed.filter((l) => !l.bars[boot]!.wait).map((l) => () => row(l)),
    ),
    ...titledTable(
      `Waits: ${bootTitle(page, boot)}`,
      heads,
      timed.filter((l) => l.bars[boot]!.wait).map((l) => () => row(l)),
    ),
  ];
}

const tookUs = (line: Line, boot: number) => (line.bars[boot]?.endUs ?? 0) - (line.bars[boot]?.startUs ?? 0);

function gauge(share: number, className: string): HTMLElement {
  const fill = el('i', { class: className });
  fill.style.width = percent(share);
  return el('div', { class: 'gauge' }, fill);
}

function pathTable(page: Page, view: ReportView, boot: number): HTMLElement[] {
  const heads = ['#start', '#took', '#share', '', 'what', '', 'part'];
  const longestUs = view.segments.reduce((most, one) => Math.max(most, one.endUs - one.startUs), 1);
  const rows = view.segments.map((one) => () => {
    const tookUs = one.endUs - one.startUs;
    return [
      formatSpan(one.startUs),
      formatSpan(tookUs),
      shareText(tookUs, view.totalUs),
      gauge(tookUs / longestUs, `seg ${one.kind} src-${GROUP_COLOURS[one.group]}`),
      one.id === undefined ? one.name : linkTo(page, one.id, one.name),
      one.kind === 'gap' ? 'no input explains this time' : (one.wait ?? longestInside(page, one, boot)),
      one.group,
    ];
  });
  return titledTable(`Critical path, adds up to ${totalText(view)}: ${bootTitle(page, boot)}`, heads, rows);
}

/** The innermost long part: a stage of cloud-init is as slow as its slowest module. */
function longestInside(
  page: Page,
  { id, startUs, endUs }: { id?: string; startUs: number; endUs: number },
  boot: number,
) {
  let line = page.lines.get(id ?? '');
  let found = '';
  while (line) {
    const [part] = line.children
      .filter(({ bars }) => bars[boot] && bars[boot].startUs >= startUs && bars[boot].endUs <= endUs)
      .sort((a, b) => tookUs(b, boot) - tookUs(a, boot));
    if (!part || tookUs(part, boot) < (endUs - startUs) / 4) break;
    found = `longest inside: ${part.name} ${formatSpan(tookUs(part, boot))}`;
    line = part;
  }
  return found;
}

function changes(page: Page, boot: number): HTMLElement[] {
  const letter = BOOT_LETTERS[boot];
  const { changes: onPath = [] } = page.views[boot]!;
  const coloured = (us: number) => el('span', { class: `change ${us > 0 ? 'slower' : 'faster'}` }, formatChange(us));
  const time = (us: number | undefined) => (us === undefined ? '' : formatSpan(us));
  const pathRows = onPath.map(({ id, name, change, beforeUs, afterUs, explainsUs, share }) => () => [
    coloured(explainsUs),
    share === undefined ? '' : `${Math.round(share * 100)} %`,
    change,
    linkTo(page, id, name),
    time(beforeUs),
    time(afterUs),
  ]);
  const ids = new Set(onPath.map(({ id }) => id));
  const rest = lineDifferences(page.lines, boot).filter(({ line }) => !ids.has(line.id));
  const rows = rest.map(({ line, beforeUs, afterUs, changeUs, kind }) => () => [
    coloured(changeUs),
    kind,
    linkTo(page, line.id, line.name),
    time(beforeUs),
    time(afterUs),
    line.parent && !line.parent.isGroup ? `inside ${line.parent.name}` : '',
    line.source,
  ]);
  const note = 'Spans off the path run in parallel: their changes do not add up to the difference of the totals.';
  return [
    ...titledTable(
      `From A to ${letter}: on the critical path`,
      ['#total changed by', '#share', '', 'what', '#A', `#${letter}`],
      pathRows,
    ),
    ...titledTable(
      `From A to ${letter}: not on the path, or part of it`,
      ['#change', '', 'what', '#A', `#${letter}`, '', 'source'],
      rows,
    ),
    el('p', { class: 'aside' }, note),
  ];
}

function about(page: Page, view: ReportView, boot: number): HTMLElement[] {
  const facts = [
    { name: 'date', value: bootDate(view) },
    ...view.facts,
    { name: 'times count from', value: ZERO_NAMES[view.zero] },
  ];
  return [
    ...titledTable(
      `Notes on the data: ${bootTitle(page, boot)}`,
      ['', 'note'],
      view.notes.map((note) => () => [note.level, note.text]),
    ),
    ...titledTable(
      `Facts: ${bootTitle(page, boot)}`,
      ['name', 'value'],
      facts.map(({ name, value }) => () => [name, value]),
    ),
    ...titledTable(
      'Milestones',
      ['#at', 'name', ''],
      view.milestones.map((m) => () => [
        `${formatSpan(m.atUs)}${m.errorUs ? ` ±${formatSpan(m.errorUs)}` : ''}`,
        m.name,
        m.detail ?? '',
      ]),
    ),
    ...titledTable(
      'Inputs',
      ['read as', 'input'],
      view.inputs.map(({ name, value }) => () => [name, value]),
    ),
  ];
}

/** A heading that begins with # marks a column of numbers. */
function titledTable(title: string, heads: string[], rows: (() => (string | HTMLElement)[])[]): HTMLElement[] {
  if (rows.length === 0) return [];
  const isNumber = heads.map((head) => head.startsWith('#'));
  const body = el('tbody');
  const add = (from: number, to: number) => {
    for (const row of rows.slice(from, to)) {
      body.append(
        el('tr', {}, ...row().map((cell, column) => el('td', isNumber[column] ? { class: 'num' } : {}, cell))),
      );
    }
  };
  add(0, MANY_ROWS);
  const more = el('button', { class: 'more' }, `Show all ${rows.length}`);
  more.addEventListener('click', () => {
    add(MANY_ROWS, rows.length);
    more.remove();
  });
  const table = el(
    'table',
    {},
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        ...heads.map((head, c) =>
          el('th', isNumber[c] ? { class: 'num', scope: 'col' } : { scope: 'col' }, head.replace('#', '')),
        ),
      ),
    ),
    body,
  );
  return [el('section', { class: 'card' }, el('h2', {}, title), table, rows.length > MANY_ROWS ? more : undefined)];
}
