/// <reference lib="dom" />
// boot/render/report/waterfall.ts: draws the chart. Only visible rows exist as elements, so 5,000 spans scroll like 50.
import { formatSpan } from '../../../base/duration.ts';
import { drawAxis } from './axis.ts';
import { placeNote } from './bar-note.ts';
import { lineColour } from './colours.ts';
import { byId, el, marked, svgEl } from './elements.ts';
import type { Line, VisibleLine } from './lines.ts';
import { BAR_STEP_PX, type Page, percent, shareOf } from './page-state.ts';
import { laneOf, layoutRows, type RowLayout, type RowMeasures } from './row-layout.ts';
import { formatChange } from './time-window.ts';
import { shareText } from './wording.ts';

export interface Waterfall {
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

interface Place {
  layout: RowLayout;
  measures: RowMeasures;
  /** Width of the bars' part of a row. */
  trackPx: number;
}

const SPARE_ROWS = 6;
const LEAST_CONTENT_PX = 96;
/** About one page. */
const PRINTED_ROWS = 30;
/** With more than two boots. */
const NARROW_STEP_PX = 11;
/** Windows at most this wide have no column of names: each name is above its bars. */
const STACKED_WINDOW_PX = 600;
const STACKED_NAME_PX = 18;
/** Of the chart on A4 with the margins and the zoom of print.css. */
const PRINTED_CHART_PX = 560;

export function makeWaterfall(page: Page): Waterfall {
  const scroller = byId('scroller');
  const rows = byId('rows');
  const pool: RowElements[] = [];
  const boots = page.views.length;
  const stepPx = boots > 2 ? NARROW_STEP_PX : BAR_STEP_PX;
  const chart = byId('chart');
  chart.style.setProperty('--step', `${stepPx}px`);
  const isPrinting = () => document.body.classList.contains('printing');
  const isStacked = () => !isPrinting() && window.innerWidth <= STACKED_WINDOW_PX;

  function place(): Place {
    const measures: RowMeasures = { boots, stepPx, namePx: isStacked() ? STACKED_NAME_PX : 0 };
    const trackPx = isPrinting() ? PRINTED_CHART_PX : byId('axis').clientWidth || 1000;
    return {
      measures,
      trackPx,
      layout: layoutRows(
        page.shown.map(({ line }) => line),
        measures,
      ),
    };
  }

  function draw(): void {
    const { shown } = page;
    chart.classList.toggle('stacked', isStacked());
    const places = place();
    const { layout } = places;
    const scrollPx = isPrinting() ? 0 : scroller.scrollTop;
    const lastInSight = isPrinting() ? PRINTED_ROWS : layout.rowAt(scrollPx + scroller.clientHeight) + 1;
    const first = Math.max(0, layout.rowAt(scrollPx) - SPARE_ROWS);
    const last = Math.min(shown.length, lastInSight + SPARE_ROWS);
    const allPx = layout.topPx(isPrinting() ? last : shown.length);
    chart.style.setProperty('--content', `${Math.max(LEAST_CONTENT_PX, allPx)}px`);
    rows.style.height = `${allPx}px`;
    scroller.setAttribute('aria-rowcount', String(shown.length));
    chart.style.setProperty('--scrollbar', `${scroller.offsetWidth - scroller.clientWidth}px`);
    while (pool.length < last - first) addRow(rows, pool, page.views.length);
    // A row keeps its element while it is visible: if the element under the pointer changed, the browser would drop the click.
    pool.forEach((elements, slot) => {
      const row = first + ((((slot - first) % pool.length) + pool.length) % pool.length);
      const at = shown[row];
      if (at && row < last) drawRow(page, elements, at, row, places);
      else hideRow(elements);
    });
    byId('empty').hidden = shown.length > 0;
    drawAxis(page, places.trackPx);
    drawPaths(page, places, { scrollPx, heightPx: isPrinting() ? allPx : scroller.clientHeight });
  }

  return {
    draw,
    scrollTo(row) {
      const { layout } = place();
      const topPx = layout.topPx(row);
      const isAbove = topPx < scroller.scrollTop;
      const isBelow = topPx + layout.heightPx(row) > scroller.scrollTop + scroller.clientHeight;
      if (isAbove || isBelow) scroller.scrollTop = topPx - scroller.clientHeight / 3;
    },
    showBelow(row, count) {
      draw(); // sets the height, which limits how far the list scrolls
      const { layout } = place();
      const bottomPx = layout.topPx(Math.min(page.shown.length, row + count + 1));
      const isInSight = bottomPx <= scroller.scrollTop + scroller.clientHeight;
      if (!isInSight) scroller.scrollTop = Math.min(layout.topPx(row), bottomPx - scroller.clientHeight);
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

function drawRow(page: Page, elements: RowElements, { line, isMatch }: VisibleLine, at: number, place: Place): void {
  const { row } = elements;
  row.hidden = false;
  row.style.transform = `translateY(${place.layout.topPx(at)}px)`;
  row.style.height = `${place.layout.heightPx(at)}px`;
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
    for (const one of [bar, note]) one.style.setProperty('--lane', String(laneOf(line, boot)));
    const drawn = drawBar(page, elements.track, bar, line, boot);
    note.hidden = drawn === undefined;
    if (drawn) drawNote(note, noteTexts(page, line, boot), { ...drawn, trackPx: place.trackPx });
  });
}

/** Longest first. */
function noteTexts(page: Page, line: Line, boot: number): string[] {
  if (line.isGroup) {
    const us = line.pathUs[boot] ?? 0;
    return us > 0 ? [`${formatSpan(us)} on the path, ${shareText(us, page.views[boot]!.totalUs)}`, formatSpan(us)] : [];
  }
  const { startUs, endUs, wait } = line.bars[boot]!;
  if (startUs === endUs) return [];
  const took = formatSpan(endUs - startUs);
  return wait ? [`${took}  wait: ${wait}`, `${took}  wait`, took] : [took];
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
    line.isGroup ? undefined : el('i', { class: `dot src-${lineColour(line)}` }),
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

/** Returns the visible ends of the bar, as shares of the window; undefined if there is nothing to see. */
function drawBar(
  page: Page,
  track: HTMLElement,
  bar: HTMLElement,
  line: Line,
  boot: number,
): { fromShare: number; toShare: number } | undefined {
  const span = line.bars[boot];
  const from = span ? shareOf(page.seen, span.startUs) : 2;
  const to = span ? shareOf(page.seen, span.endUs) : 2;
  bar.hidden = !span || to < 0 || from > 1;
  if (!span) return;
  if (bar.hidden) {
    track.dataset.beyond = from > 1 ? '›' : '‹';
    return;
  }
  const isInstant = span.endUs === span.startUs;
  const classes = [
    bar.className.match(/^bar boot-\d/)![0],
    isInstant ? 'instant' : span.wait ? 'wait' : 'work',
    `src-${lineColour(line)}`,
    page.critical[boot]!.has(line.id) && 'critical',
    span.result === 'fail' && 'failed',
    to > 1.0001 && 'cut-right',
    from < -0.0001 && 'cut-left',
  ];
  bar.className = classes.filter(Boolean).join(' ');
  const left = Math.max(from, -0.01); // browsers do not draw a bar of millions of pixels
  const right = Math.min(to, 1);
  bar.style.left = percent(left);
  bar.style.width = isInstant ? '' : percent(right - left);
  return { fromShare: Math.max(0, left), toShare: right };
}

function drawNote(
  note: HTMLElement,
  texts: readonly string[],
  at: { fromShare: number; toShare: number; trackPx: number },
): void {
  const { text, side } = placeNote(texts, at);
  note.textContent = text;
  note.classList.toggle('inside', side === 'inside');
  note.style.left = side === 'after' ? `calc(${percent(at.toShare)} + 7px)` : 'auto';
  note.style.right =
    side === 'after'
      ? 'auto'
      : side === 'before'
        ? `calc(${percent(1 - at.fromShare)} + 7px)`
        : `calc(${percent(1 - at.toShare)} + 8px)`;
}

function drawPaths(
  page: Page,
  { layout, measures: { stepPx, namePx, boots } }: Place,
  { scrollPx, heightPx }: { scrollPx: number; heightPx: number },
): void {
  const svg = byId('paths');
  svg.setAttribute('viewBox', `0 0 1000 ${Math.max(1, heightPx)}`);
  const x = (us: number) => Math.min(Math.max(shareOf(page.seen, us), -1), 2) * 1000;
  const paths = page.views.map((view, boot) => {
    const y = (row: number) => {
      const barPx = boots > 1 ? 3 + stepPx * (laneOf(page.shown[row]!.line, boot) + 0.5) : 12;
      return layout.topPx(row) - scrollPx + namePx + barPx;
    };
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
