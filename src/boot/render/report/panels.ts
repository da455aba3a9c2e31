/// <reference lib="dom" />
// boot/render/report/panels.ts: the panels around the chart: totals, slowest spans, critical path, changes, inputs.
import { formatSpan } from '../../../base/duration.ts';
import type { ReportPhase, ReportView } from '../report-data.ts';
import { linkTo } from './details.ts';
import { byId, el } from './elements.ts';
import { type Line, type LineDifference, lineDifferences } from './lines.ts';
import { BOOT_LETTERS, type Page, percent } from './page-state.ts';
import { formatChange } from './time-window.ts';

const MANY_ROWS = 100;

const ZERO_NAMES = { kernel: 'kernel start', userspace: 'userspace start', 'first-event': 'the first event' };

export function fillPanels(page: Page): void {
  const others = page.views.map((_, boot) => boot).slice(1);
  byId('summary').replaceChildren(
    ...page.views.map((view, boot) => bootCard(page, view, boot)),
    // With more than two boots, the boot cards show the comparison: there is no room for a change card.
    ...(page.views.length === 2 ? [changeCard(page, 1)] : []),
  );
  byId('panel-slowest').replaceChildren(...page.views.flatMap((_, boot) => slowest(page, boot)));
  byId('panel-path').replaceChildren(...page.views.flatMap((view, boot) => pathOf(page, view, boot)));
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

function bootCard(page: Page, view: ReportView, boot: number): HTMLElement {
  const longestUs = Math.max(1, ...page.views.map((each) => each.totalUs));
  const segments = view.phases.map((phase) => {
    const part = el('i', {
      class: phaseClass(phase),
      title: `${phase.name} ${formatSpan(phase.endUs - phase.startUs)}`,
    });
    part.style.width = percent((phase.endUs - phase.startUs) / longestUs);
    return part;
  });
  const names = view.phases.map((phase) =>
    el(
      'li',
      {},
      el('i', { class: `dot ${phaseClass(phase)}` }),
      `${phase.name} `,
      el('b', {}, formatSpan(phase.endUs - phase.startUs)),
    ),
  );
  const waits =
    view.waitUs > 0
      ? [el('li', {}, el('i', { class: 'dot wait src-platform' }), 'waits ', el('b', {}, formatSpan(view.waitUs)))]
      : [];
  const facts = view.facts.filter(({ name }) =>
    ['system', 'kernel', 'systemd', 'cloud-init', 'kubelet', 'cloud'].includes(name),
  );
  // Totals are comparable only if they end with the same event.
  const canCompare = page.views.length > 2 && boot > 0 && view.totalOf === page.views[0]!.totalOf;
  const factText = facts.map(({ name, value }) => (name === 'system' ? value : `${name} ${value}`)).join(' · ');
  return el(
    'article',
    { class: 'card boot' },
    el(
      'div',
      { class: 'total' },
      el('span', { class: 'which' }, page.views.length > 1 ? `${BOOT_LETTERS[boot]} · ${view.label}` : view.host),
      el('strong', {}, formatSpan(view.totalUs)),
      el('span', {}, view.totalOf),
      canCompare ? el('span', { class: 'against' }, againstFirst(page, boot)) : undefined,
    ),
    el(
      'div',
      { class: 'phases' },
      el('div', { class: 'phase-bar', role: 'img', 'aria-label': phaseText(view) }, ...segments),
      el('ul', {}, ...names, ...waits),
      factText === '' ? undefined : el('p', { title: factText }, factText),
    ),
  );
}

const phaseText = (view: ReportView) =>
  view.phases.map((p) => `${p.name} ${formatSpan(p.endUs - p.startUs)}`).join(', ');
const phaseClass = ({ source, wait }: ReportPhase) => `src-${source}${wait ? ' wait' : ''}`;

function totalChange(page: Page, boot: number): { changeUs: number; share: string } {
  const [before, after] = [page.views[0]!.totalUs, page.views[boot]!.totalUs];
  const changeUs = after - before;
  const percents = Math.abs((changeUs / before) * 100).toFixed(0);
  const share = before > 0 && changeUs !== 0 ? ` (${changeUs > 0 ? '+' : '−'}${percents} %)` : '';
  return { changeUs, share };
}

function againstFirst(page: Page, boot: number): string {
  const { changeUs, share } = totalChange(page, boot);
  return `${formatChange(changeUs)}${share} against A`;
}

function changeCard(page: Page, boot: number): HTMLElement {
  const { changeUs, share } = totalChange(page, boot);
  const top = lineDifferences(page.lines, boot).filter(({ line }) => !line.parent);
  return el(
    'article',
    { class: 'card changes' },
    el(
      'div',
      { class: 'total' },
      el('span', { class: 'which' }, `${BOOT_LETTERS[boot]} against A`),
      el('strong', {}, formatChange(changeUs)),
      el('span', {}, share),
    ),
    el(
      'ul',
      {},
      ...top
        .slice(0, 4)
        .map(({ line, changeUs: us, kind }) =>
          el(
            'li',
            {},
            linkTo(page, line.id, line.name),
            el('span', { class: `change ${us > 0 ? 'slower' : 'faster'}` }, changeText(us, kind)),
          ),
        ),
    ),
  );
}

const changeText = (us: number, kind: LineDifference['kind']) =>
  kind === 'new' || kind === 'gone' ? `${kind} ${formatChange(us)}` : formatChange(us);

function slowest(page: Page, boot: number): HTMLElement[] {
  const timed = [...page.lines.values()]
    .filter(({ bars }) => (bars[boot]?.endUs ?? 0) > (bars[boot]?.startUs ?? 0))
    .sort((a, b) => tookUs(b, boot) - tookUs(a, boot));
  const longestUs = timed[0] ? tookUs(timed[0], boot) : 1;
  const row = (line: Line) => {
    const bar = line.bars[boot]!;
    return [
      formatSpan(tookUs(line, boot)),
      gauge(tookUs(line, boot) / longestUs, `src-${line.source}${bar.wait ? ' wait' : ''}`),
      linkTo(page, line.id, line.name),
      bar.wait ?? (line.parent ? `inside ${line.parent.name}` : ''),
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

function pathOf(page: Page, view: ReportView, boot: number): HTMLElement[] {
  const heads = ['#gap before', '#start', '#took', '', 'what', '', 'source'];
  const waitOf = (id: string) => page.lines.get(id)?.bars[boot]?.wait;
  const longestUs = view.path.reduce((most, step) => Math.max(most, step.endUs - step.startUs), 1);
  const rows = view.path.map((step) => () => [
    step.gapUs > 0 ? formatSpan(step.gapUs) : '',
    formatSpan(step.startUs),
    step.endUs > step.startUs ? formatSpan(step.endUs - step.startUs) : '',
    gauge((step.endUs - step.startUs) / longestUs, `src-${step.source}${waitOf(step.id) ? ' wait' : ''}`),
    linkTo(page, step.id, step.name),
    waitOf(step.id) ?? '',
    step.source,
  ]);
  return titledTable(`Critical path, first to last: ${bootTitle(page, boot)}`, heads, rows);
}

function changes(page: Page, boot: number): HTMLElement[] {
  const letter = BOOT_LETTERS[boot];
  const rows = lineDifferences(page.lines, boot).map(({ line, beforeUs, afterUs, changeUs, kind }) => () => [
    el('span', { class: `change ${changeUs > 0 ? 'slower' : 'faster'}` }, formatChange(changeUs)),
    kind,
    linkTo(page, line.id, line.name),
    beforeUs === undefined ? '' : formatSpan(beforeUs),
    afterUs === undefined ? '' : formatSpan(afterUs),
    line.parent ? `inside ${line.parent.name}` : '',
    line.source,
  ]);
  const note = 'Spans run in parallel, so these changes do not add up to the difference of the totals.';
  return [
    ...titledTable(
      `From A to ${letter}, largest change first`,
      ['#change', '', 'what', '#A', `#${letter}`, '', 'source'],
      rows,
    ),
    el('p', { class: 'aside' }, note),
  ];
}

function about(page: Page, view: ReportView, boot: number): HTMLElement[] {
  const facts = [...view.facts, { name: 'times count from', value: ZERO_NAMES[view.zero] }];
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
