/// <reference lib="dom" />
// boot/render/report/main.ts: the entry point of the page: reads the embedded boots, draws them, and adds event listeners.
import type { ReportView } from '../report-data.ts';
import { addressOf, goTo, parseAddress, writeAddress } from './address.ts';
import { fillAnswer } from './answer.ts';
import { showDetails } from './details.ts';
import { byId } from './elements.ts';
import { listenChart } from './gestures.ts';
import { listenKeys } from './keys.ts';
import { criticalIds, linesOfViews, shownLines } from './lines.ts';
import { makeOverview } from './overview.ts';
import { around, lastEndUs, type Page } from './page-state.ts';
import { fillPanels } from './panels.ts';
import { fitWindow, type TimeWindow } from './time-window.ts';
import { fillLegend, listenToolbar, scrollToPanel, showEverything, showTab } from './toolbar.ts';
import { makeWaterfall } from './waterfall.ts';

const SMALL_US = 10_000;
const SCROLLED_PX = 80;

startPage(JSON.parse(byId('boots').textContent) as ReportView[]);

function startPage(views: ReportView[]): void {
  const lines = linesOfViews(views);
  const home = widened(views.map((view) => ({ fromUs: view.startUs, toUs: view.endUs })));
  const limits = widened([
    home,
    ...[...lines.values()].map((line) => ({ fromUs: line.startUs, toUs: lastEndUs(line) })),
  ]);
  const hasPath = views.some((view) => view.path.length > 0);
  const usualShow = hasPath ? 'critical' : String(SMALL_US);
  let isDrawPending = false;

  const page: Page = {
    views,
    lines,
    critical: views.map(criticalIds),
    limits,
    home,
    seen: home,
    filter: {
      query: '',
      minUs: SMALL_US,
      isCriticalOnly: hasPath,
      hiddenSources: new Set(),
      openIds: new Set([...lines.values()].filter((line) => line.isGroup).map(({ id }) => id)),
      range: undefined,
    },
    shown: [],
    rowOf: new Map(),
    selectedId: undefined,
    zoomTo(window) {
      page.seen = fitWindow(window, limits);
      const isWhole = page.seen.fromUs <= home.fromUs && page.seen.toUs >= home.toUs;
      page.filter.range = isWhole ? undefined : page.seen;
      page.refilter();
    },
    refilter() {
      page.shown = shownLines(lines, page.filter);
      const isWidened = page.shown.length === 0 && page.filter.query === '';
      // A range without a link of the path still shows what ran in it.
      if (isWidened) page.shown = shownLines(lines, { ...page.filter, isCriticalOnly: false, minUs: 0 });
      page.rowOf = new Map(page.shown.map(({ line }, row) => [line.id, row]));
      const rows = page.shown.filter(({ line }) => !line.isGroup).length;
      const where = page.filter.range ? ' in this range' : '';
      byId('shown').textContent = `${rows} of ${spans}${where}${isWidened ? ', none on the path' : ''}`;
      byId('why-empty').textContent =
        page.filter.query === '' && page.filter.range ? 'No span ran in this range.' : 'No spans match.';
      overview.paint();
      draw();
    },
    select(id) {
      page.selectedId = id;
      const row = id === undefined ? undefined : page.rowOf.get(id);
      if (row === undefined) byId('scroller').removeAttribute('aria-activedescendant');
      else byId('scroller').setAttribute('aria-activedescendant', `row-${row}`);
      showDetails(page, id === undefined ? undefined : lines.get(id));
      draw();
    },
    reveal(id) {
      const line = lines.get(id)!;
      showTab('waterfall');
      for (let above = line.parent; above; above = above.parent) page.filter.openIds.add(above.id);
      if (!page.rowOf.has(id)) page.refilter();
      if (!page.rowOf.has(id)) showEverything(page);
      const isInSight = line.startUs < page.seen.toUs && lastEndUs(line) > page.seen.fromUs;
      if (!isInSight) page.zoomTo(around(line));
      page.select(id);
      waterfall.scrollTo(page.rowOf.get(id) ?? 0);
      // The row may be below the screen, or under the details on a phone. It is drawn first.
      requestAnimationFrame(() => byId(`row-${page.rowOf.get(id)}`)?.scrollIntoView?.({ block: 'nearest' }));
    },
    toggle(line) {
      const isClosing = page.filter.openIds.delete(line.id);
      if (!isClosing) page.filter.openIds.add(line.id);
      page.refilter();
      if (!isClosing) waterfall.showBelow(page.rowOf.get(line.id) ?? 0, line.children.length);
    },
  };
  const spans = [...lines.values()].filter((line) => !line.isGroup).length;
  const waterfall = makeWaterfall(page);
  const overview = makeOverview(page);

  /** At most once per frame. */
  function draw(): void {
    if (isDrawPending) return;
    isDrawPending = true;
    requestAnimationFrame(() => {
      isDrawPending = false;
      overview.place();
      waterfall.draw();
      rememberAddress();
    });
  }

  function rememberAddress(): void {
    const hash = writeAddress(addressOf(page, usualShow));
    if (hash === window.location.hash) return;
    try {
      window.history.replaceState(null, '', hash === '' ? '#' : hash);
    } catch {
      // A frame without an address: there is nothing to remember.
    }
  }

  function goToAddress(): void {
    const address = parseAddress(window.location.hash);
    goTo(page, address);
    // After the rows are drawn: before, the page is too short to scroll.
    if (Object.keys(address).length > 0) requestAnimationFrame(() => scrollToPanel(address.tab ?? 'waterfall'));
  }

  byId('panel-waterfall').classList.toggle('several', views.length > 1);
  byId('panel-waterfall').classList.toggle('many', views.length > 2);
  byId('static').remove();
  document.documentElement.classList.remove('static');
  byId<HTMLSelectElement>('least').value = usualShow;
  fillAnswer(page);
  fillPanels(page);
  fillLegend(page);
  listenToolbar(page);
  listenChart(page, waterfall, draw);
  listenKeys(page, waterfall);
  for (const tab of document.querySelectorAll('[role=tab]')) tab.addEventListener('click', draw);
  window.addEventListener('hashchange', goToAddress);
  window.addEventListener('scroll', () => document.body.classList.toggle('scrolled', window.scrollY > SCROLLED_PX));
  new ResizeObserver(([entry]) => {
    const widthPx = entry?.borderBoxSize[0]?.inlineSize ?? 0;
    // The corner is hidden where names are above their bars.
    if (widthPx > 0) byId('chart').style.setProperty('--dragged', `${widthPx}px`);
  }).observe(byId('corner'));
  new ResizeObserver(() => {
    overview.paint();
    draw();
  }).observe(byId('scroller'));
  byId('theme').addEventListener('click', () => {
    document.documentElement.dataset.theme = isDarkNow() ? 'light' : 'dark';
    overview.paint();
  });
  window.addEventListener('beforeprint', () => {
    document.body.classList.add('printing');
    waterfall.draw();
  });
  window.addEventListener('afterprint', () => {
    document.body.classList.remove('printing');
    draw();
  });
  goToAddress();
}

function isDarkNow(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function widened(windows: TimeWindow[]): TimeWindow {
  let fromUs = Number.POSITIVE_INFINITY;
  let toUs = Number.NEGATIVE_INFINITY;
  for (const window of windows) {
    fromUs = Math.min(fromUs, window.fromUs);
    toUs = Math.max(toUs, window.toUs);
  }
  const marginUs = Math.max(1000, (toUs - fromUs) * 0.012);
  return { fromUs: fromUs - marginUs, toUs: toUs + marginUs };
}
