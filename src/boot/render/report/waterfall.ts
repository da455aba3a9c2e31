/// <reference lib="dom" />
// boot/render/report/waterfall.ts: draws the chart. Only visible rows exist as elements, so 5,000 spans scroll like 50.
import { formatSpan } from '../../../base/duration.ts';
import type { ReportRow } from '../report-data.ts';
import { byId, el, marked, svgEl } from './elements.ts';
import type { Line, VisibleLine } from './lines.ts';
import { BAR_STEP_PX, BOOT_LETTERS, type Page, percent, shareOf } from './page-state.ts';
import { formatChange, placeLabels, ticksOf } from './time-window.ts';
import { shareText } from './wording.ts';

export interface Waterfall {
  readonly rowPx: number;
  draw(): void;
  scrollTo(row: number): void;
  /** Scrolls until `count` rows below `row` are visible, but never past `row` itself. */
  showBelow(row: number, count: number): void;
  lineAt(target: EventTarget | null): Line | undefined;
}

interface RowElements {
  row: HTMLElement;
  name: HTMLElement;
  bars: { bar: HTMLElement; note: HTMLElement }[];
  track: HTMLElement;
  drawn: string;
}

const SPARE_ROWS = 6;
/** About one page. */
const PRINTED_ROWS = 30;
/** With more than two boots. */
const NARROW_STEP_PX = 10;

export function makeWaterfall(page: Page): Waterfall {
  const scroller = byId('scroller');
  const rows = byId('rows');
  const pool: RowElements[] = [];
  const boots = page.views.length;
  const stepPx = boots > 2 ? NARROW_STEP_PX : BAR_STEP_PX;
  const rowPx = boots > 1 ? 6 + stepPx * boots : 24;
  byId('chart').style.setProperty('--row', `${rowPx}px`);
  byId('chart').style.setProperty('--step', `${stepPx}px`);
  const isPrinting = () => document.body.classList.contains('printing');

  function draw(): void {
    const { shown } = page;
    const scrollPx = isPrinting() ? 0 : scroller.scrollTop;
    const heightPx = isPrinting() ? PRINTED_ROWS * rowPx : scroller.clientHeight;
    const first = Math.max(0, Math.floor(scrollPx / rowPx) - SPARE_ROWS);
    const last = Math.min(shown.length, Math.ceil((scrollPx + heightPx) / rowPx) + SPARE_ROWS);
    byId('chart').style.setProperty('--content', `${Math.max(4, isPrinting() ? last : shown.length) * rowPx}px`);
    rows.style.height = `${(isPrinting() ? last : shown.length) * rowPx}px`;
    scroller.setAttribute('aria-rowcount', String(shown.length));
    byId('chart').style.setProperty('--scrollbar', `${scroller.offsetWidth - scroller.clientWidth}px`);
    while (pool.length < last - first) addRow(rows, pool, page.views.length);
    // A row keeps its element while it is visible: if the element under the pointer changed, the browser would drop the click.
    pool.forEach((elements, slot) => {
      const row = first + ((((slot - first) % pool.length) + pool.length) % pool.length);
      const at = shown[row];
      if (at && row < last) drawRow(page, elements, at, row, rowPx);
      else hideRow(elements);
    });
    byId('empty').hidden = shown.length > 0;
    drawAxis(page);
    drawPaths(page, { scrollPx, rowPx, stepPx, heightPx: isPrinting() ? last * rowPx : scroller.clientHeight });
  }

  return {
    rowPx,
    draw,
    scrollTo(row) {
      const topPx = row * rowPx;
      const isInSight = topPx >= scroller.scrollTop && topPx + rowPx <= scroller.scrollTop + scroller.clientHeight;
      if (!isInSight) scroller.scrollTop = topPx - scroller.clientHeight / 3;
    },
    showBelow(row, count) {
      draw(); // sets the height, which limits how far the list scrolls
      const bottomPx = (row + count + 1) * rowPx;
      const isInSight = bottomPx <= scroller.scrollTop + scroller.clientHeight;
      if (!isInSight) scroller.scrollTop = Math.min(row * rowPx, bottomPx - scroller.clientHeight);
    },
    lineAt(target) {
      const row = target instanceof Element ? target.closest<HTMLElement>('.row') : null;
      return row ? page.shown[Number(row.dataset.row)]?.line : undefined;
    },
  };
}

function addRow(rows: HTMLElement, pool: RowElements[], boots: number): void {
  const name = el('div', { class: 'name', role: 'gridcell' });
  const bars = Array.from({ length: boots }, (_, boot) => ({
    bar: el('div', { class: `bar boot-${boot}` }),
    note: el('span', { class: `bar-note boot-${boot}` }),
  }));
  const track = el('div', { class: 'track', role: 'gridcell' }, ...bars.flatMap(({ bar, note }) => [bar, note]));
  const row = el('div', { class: 'row', role: 'row' }, name, track);
  rows.append(row);
  pool.push({ row, name, bars, track, drawn: '' });
}

/** Removes the id, which a visible row may need. */
function hideRow(elements: RowElements): void {
  elements.row.hidden = true;
  elements.row.removeAttribute('id');
  delete elements.row.dataset.id;
  elements.drawn = '';
}

function drawRow(page: Page, elements: RowElements, { line, isMatch }: VisibleLine, at: number, rowPx: number): void {
  const { row } = elements;
  row.hidden = false;
  row.style.transform = `translateY(${at * rowPx}px)`;
  row.dataset.row = String(at);
  row.id = `row-${at}`;
  row.setAttribute('aria-rowindex', String(at + 1));
  row.setAttribute('aria-selected', String(line.id === page.selectedId));
  const isOpen = page.filter.query !== '' || page.filter.openIds.has(line.id);
  const drawn = JSON.stringify([line.id, line.depth, page.filter.query, isOpen]);
  if (elements.drawn !== drawn) {
    elements.drawn = drawn;
    row.dataset.id = line.id;
    row.setAttribute('aria-level', String(line.depth + 1));
    if (line.children.length > 0) row.setAttribute('aria-expanded', String(isOpen));
    else row.removeAttribute('aria-expanded');
    elements.name.replaceChildren(...nameOf(page, line));
  }
  row.className = ['row', line.isGroup && 'group', line.isCritical && 'critical', !isMatch && 'faint', at % 2 && 'odd']
    .filter(Boolean)
    .join(' ');
  elements.track.dataset.beyond = '';
  elements.bars.forEach(({ bar, note }, boot) => {
    drawBar(page, elements.track, bar, note, line.bars[boot], page.critical[boot]!.has(line.id));
    if (line.isGroup) note.textContent = groupNote(page, line, boot);
  });
}

function groupNote(page: Page, line: Line, boot: number): string {
  const us = line.pathUs[boot] ?? 0;
  return us > 0 ? `${formatSpan(us)} on the path, ${shareText(us, page.views[boot]!.totalUs)}` : '';
}

function nameOf(page: Page, line: Line): Node[] {
  const failed = line.bars.find((bar) => bar?.result)?.result;
  const [before, after] = line.bars;
  const change =
    page.views.length !== 2 || line.isGroup
      ? ''
      : before && after
        ? formatChange(after.endUs - after.startUs - (before.endUs - before.startUs))
        : before
          ? 'gone'
          : 'new';
  const twist = el('span', { class: 'twist', 'aria-hidden': 'true' }, line.children.length > 0 ? '▸' : '');
  twist.style.marginLeft = `${line.depth * 14}px`;
  const text = el('span', { class: 'text', title: line.name });
  text.append(...marked(line.name, page.filter.query));
  return [
    twist,
    line.isGroup ? undefined : el('i', { class: `dot src-${line.source}` }),
    text,
    line.children.length > 0 ? el('span', { class: 'count' }, String(line.children.length)) : undefined,
    failed ? el('span', { class: `badge ${failed}` }, failed === 'fail' ? 'failed' : 'warning') : undefined,
    change === '' ? undefined : el('span', { class: `change ${changeClass(change)}` }, change),
  ].filter((child) => child !== undefined);
}

export function changeClass(change: string): string {
  return change.startsWith('+') || change === 'new'
    ? 'slower'
    : change.startsWith('−') || change === 'gone'
      ? 'faster'
      : '';
}

function drawBar(
  page: Page,
  track: HTMLElement,
  bar: HTMLElement,
  note: HTMLElement,
  span: ReportRow | undefined,
  isCritical: boolean,
) {
  const from = span ? shareOf(page.seen, span.startUs) : 2;
  const to = span ? shareOf(page.seen, span.endUs) : 2;
  bar.hidden = note.hidden = !span || to < 0 || from > 1;
  if (!span) return;
  if (bar.hidden) {
    track.dataset.beyond = from > 1 ? '›' : '‹';
    return;
  }
  const isInstant = span.endUs === span.startUs;
  const kind = isInstant ? 'instant' : span.wait ? 'wait' : 'work';
  bar.className = `${bar.className.match(/^bar boot-\d/)![0]} ${kind} src-${span.source}${isCritical ? ' critical' : ''}${span.result === 'fail' ? ' failed' : ''}${to > 1.0001 ? ' cut-right' : ''}${from < -0.0001 ? ' cut-left' : ''}`;
  const left = Math.max(from, -0.01); // browsers do not draw a bar of millions of pixels
  const right = Math.min(to, 1);
  bar.style.left = percent(left);
  bar.style.width = isInstant ? '' : percent(right - left);
  note.textContent = isInstant
    ? ''
    : `${formatSpan(span.endUs - span.startUs)}${span.wait ? `  wait: ${span.wait}` : ''}`;
  note.style.left = note.style.right = 'auto';
  note.classList.toggle('inside', right > 0.8 && left < 0.2);
  if (right <= 0.8) note.style.left = `calc(${percent(right)} + 7px)`;
  else if (left >= 0.2) note.style.right = `calc(${percent(1 - left)} + 7px)`;
  else note.style.right = `calc(${percent(Math.max(0, 1 - right))} + 8px)`;
}

/** Most important first: the others lose their label if there is no room. */
const MILESTONES_BY_WEIGHT = [
  'node-ready',
  'startup-finished',
  'kubelet-started',
  'network-online',
  'userspace',
  'vm-created',
  'node-registered',
  'pod-running',
  'cloud-init-finished',
  'platform-ready',
  'extension-started',
  'guest-agent-started',
];
const LABEL_LANES = 3;

function drawAxis(page: Page): void {
  const axis = byId('axis');
  const widthPx = axis.clientWidth || 1000;
  const ticks = ticksOf(page.seen, widthPx / 110);
  const flags = flagsOf(page, widthPx);
  const labels = placeLabels(flags, ({ extent }) => extent, LABEL_LANES);
  axis.replaceChildren(
    ...ticks
      .filter(({ atUs }) => shareOf(page.seen, atUs) < 0.96)
      .map(({ atUs, label }) => {
        const tick = el('span', { class: 'tick' }, label);
        tick.style.left = percent(shareOf(page.seen, atUs));
        return tick;
      }),
    ...labels.map(({ item, lane }) => {
      const label = el('span', { class: `flag boot-${item.boot}`, title: item.title }, item.text);
      label.style.top = `${24 + lane * 16}px`;
      if (item.isLeftward) label.style.right = percent(1 - item.share);
      else label.style.left = percent(item.share);
      label.classList.toggle('to-left', item.isLeftward);
      return label;
    }),
  );
  byId('grid').replaceChildren(
    ...ticks.map(({ atUs }) => vertical(shareOf(page.seen, atUs), 'tick-line')),
    ...flags.map(({ share, boot }) => vertical(share, `milestone-line boot-${boot}`)),
  );
}

/** Visible milestones, most important first. A label extends to the left if it would leave the chart. */
function flagsOf(page: Page, widthPx: number) {
  const weight = (name: string) => MILESTONES_BY_WEIGHT.indexOf(name) + 1 || MILESTONES_BY_WEIGHT.length + 1;
  const flags = page.views.flatMap((view, boot) =>
    view.milestones.map(({ name, atUs }) => {
      const text = page.views.length > 1 ? `${BOOT_LETTERS[boot]} ${name}` : name;
      const share = shareOf(page.seen, atUs);
      const textPx = text.length * 6.1 + 14;
      const atPx = share * widthPx;
      const isLeftward = atPx + textPx > widthPx;
      const extent = isLeftward ? { fromPx: atPx - textPx, toPx: atPx } : { fromPx: atPx, toPx: atPx + textPx };
      return { boot, text, share, isLeftward, extent, weight: weight(name), title: `${name} at ${formatSpan(atUs)}` };
    }),
  );
  return flags
    .filter(({ share, extent }) => share >= 0 && share <= 1 && extent.fromPx >= 0)
    .sort((a, b) => a.weight - b.weight);
}

function vertical(share: number, className: string): SVGElement {
  return svgEl('line', { x1: percent(share), x2: percent(share), y1: 0, y2: '100%', class: className });
}

function drawPaths(
  page: Page,
  { scrollPx, rowPx, stepPx, heightPx }: { scrollPx: number; rowPx: number; stepPx: number; heightPx: number },
): void {
  const svg = byId('paths');
  svg.setAttribute('viewBox', `0 0 1000 ${Math.max(1, heightPx)}`);
  const x = (us: number) => Math.min(Math.max(shareOf(page.seen, us), -1), 2) * 1000;
  const paths = page.views.map((view, boot) => {
    const offsetPx = stepPx * (boot - (page.views.length - 1) / 2);
    const y = (row: number) => row * rowPx - scrollPx + rowPx / 2 + offsetPx;
    let d = '';
    let previous: { row: number; endUs: number } | undefined;
    for (const step of view.path) {
      const row = page.rowOf.get(step.id);
      if (row === undefined) continue;
      if (previous) d += `M${x(previous.endUs).toFixed(2)} ${y(previous.row)}V${y(row)}H${x(step.startUs).toFixed(2)}`;
      previous = { row, endUs: step.endUs };
    }
    return svgEl('path', { d, class: `path boot-${boot}`, 'vector-effect': 'non-scaling-stroke' });
  });
  svg.replaceChildren(...paths);
}
