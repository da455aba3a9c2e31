/// <reference lib="dom" />
// boot/render/report/panels.ts: the panels around the chart: slowest spans, critical path, changes, inputs.
import { formatSpan } from '../../../base/duration.ts';
import type { ReportView } from '../report-data.ts';
import { groupColour, lineColour } from './colours.ts';
import { linkTo } from './details.ts';
import { byId, el } from './elements.ts';
import { type Line, lineDifferences } from './lines.ts';
import { BOOT_LETTERS, type Page, percent } from './page-state.ts';
import { type Cell, titledTable } from './tables.ts';
import { formatChange } from './time-window.ts';
import { bootDate, shareText, totalText } from './wording.ts';

/** On paper, shorter segments of the path are one line together. */
const SMALL_SHARE = 0.005;

const ZERO_NAMES = {
  kernel: 'kernel start',
  userspace: 'userspace start',
  'first-event': 'the first event',
  claim: 'the claim',
};

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
      time(tookUs(line, boot)),
      gauge(tookUs(line, boot) / longestUs, `src-${lineColour(line)}${bar.wait ? ' wait' : ''}`),
      linkTo(page, line.id, line.name),
      bar.wait ?? insideOf(line),
      time(bar.startUs),
      page.critical[boot]!.has(line.id) ? 'on the path' : '',
      line.source,
    ];
  };
  const heads = ['#took', '', 'what', 'inside', '#start', 'path', 'source'];
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

const signedShare = (share: number) => `${share <= -0.01 ? '−' : ''}${shareText(Math.abs(share), 1)}`;

const insideOf = ({ parent }: Line) => (parent && !parent.isGroup ? `inside ${parent.name}` : '');

const time = (us: number | undefined): Cell => (us === undefined ? '' : { show: formatSpan(us), by: us });

const tookUs = (line: Line, boot: number) => (line.bars[boot]?.endUs ?? 0) - (line.bars[boot]?.startUs ?? 0);

function gauge(share: number, className: string): HTMLElement {
  const fill = el('i', { class: className });
  fill.style.width = percent(share);
  return el('div', { class: 'gauge' }, fill);
}

function pathTable(page: Page, view: ReportView, boot: number): HTMLElement[] {
  const heads = ['#start', '#took', '#share', '', 'what', 'why', 'part'];
  const longestUs = view.segments.reduce((most, one) => Math.max(most, one.endUs - one.startUs), 1);
  const isSmall = (us: number) => us < view.totalUs * SMALL_SHARE;
  const rows = view.segments.map((one) => () => {
    const tookUs = one.endUs - one.startUs;
    return [
      time(one.startUs),
      time(tookUs),
      { show: shareText(tookUs, view.totalUs), by: tookUs },
      gauge(tookUs / longestUs, `seg ${one.kind} src-${groupColour(one.group)}`),
      one.id === undefined ? one.name : linkTo(page, one.id, one.name),
      one.kind === 'gap' ? 'no input explains this time' : (one.wait ?? longestInside(page, one, boot)),
      one.group,
    ];
  });
  const small = view.segments.map(({ startUs, endUs }) => endUs - startUs).filter(isSmall);
  const smallUs = small.reduce((sum, us) => sum + us, 0);
  return titledTable(`Critical path, adds up to ${totalText(view)}: ${bootTitle(page, boot)}`, heads, rows, {
    isSmall: (row) => isSmall(view.segments[row]!.endUs - view.segments[row]!.startUs),
    rest: small.length > 0 ? `${small.length} shorter segments, together ${formatSpan(smallUs)}` : '',
  });
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
  const coloured = (us: number): Cell => ({
    show: el('span', { class: `change ${us > 0 ? 'slower' : 'faster'}` }, formatChange(us)),
    by: us,
  });
  const pathRows = onPath.map(({ id, name, change, beforeUs, afterUs, explainsUs, share }) => () => [
    coloured(explainsUs),
    share === undefined ? '' : { show: signedShare(share), by: share },
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
    insideOf(line),
    line.source,
  ]);
  const note = 'Spans off the path run in parallel: their changes do not add up to the difference of the totals.';
  return [
    ...titledTable(
      `From A to ${letter}: on the critical path`,
      ['#total changed by', '#share', 'change', 'what', '#A', `#${letter}`],
      pathRows,
    ),
    ...titledTable(
      `From A to ${letter}: not on the path, or part of it`,
      ['#change', 'kind', 'what', '#A', `#${letter}`, 'inside', 'source'],
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
      ['level', 'note'],
      view.notes.map((note) => () => [note.level, note.text]),
    ),
    ...titledTable(
      `Facts: ${bootTitle(page, boot)}`,
      ['name', 'value'],
      facts.map(({ name, value }) => () => [name, value]),
    ),
    ...titledTable(
      'Milestones',
      ['#at', 'name', 'detail'],
      view.milestones.map((m) => () => [
        { show: `${formatSpan(m.atUs)}${m.errorUs ? ` ±${formatSpan(m.errorUs)}` : ''}`, by: m.atUs },
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
