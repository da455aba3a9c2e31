/// <reference lib="dom" />
// boot/render/report/toolbar.ts: what do the buttons, the search field, the legend and the tabs do?
import { byId, el } from './elements.ts';
import { BOOT_LETTERS, middleUs, type Page } from './page-state.ts';
import { zoomWindow } from './time-window.ts';

/** Without the phases, because each is only one row. */
const HIDEABLE = [
  'platform',
  'systemd',
  'cloud-init',
  'guest-agent',
  'extension',
  'node-config',
  'kubelet',
  'cluster',
] as const;

export function fillLegend(page: Page): void {
  const sources = new Set([...page.lines.values()].map((line) => line.source));
  const chips = HIDEABLE.filter((source) => sources.has(source)).map((source) => {
    const chip = el('button', { class: 'chip', 'aria-pressed': 'true', title: `Show or hide ${source}` }, source);
    chip.addEventListener('click', () => {
      const isHidden = page.filter.hiddenSources.delete(source);
      if (!isHidden) page.filter.hiddenSources.add(source);
      chip.setAttribute('aria-pressed', String(isHidden));
      page.refilter();
    });
    return chip;
  });
  byId('sources').replaceChildren(...chips);
  if (page.views.length === 1) return;
  const order = page.views.map(({ label }, boot) => {
    const sample = el('i', { class: `bar sample boot-${boot}` });
    return el('span', { title: label }, sample, `${BOOT_LETTERS[boot]}${boot === 0 ? ', on top' : ''}`);
  });
  byId('order').replaceChildren(...order);
}

export function listenToolbar(page: Page): void {
  const search = byId<HTMLInputElement>('search');
  const least = byId<HTMLSelectElement>('least');
  search.addEventListener('input', () => setSearch(page, search.value));
  byId('show-all').addEventListener('click', () => {
    showEverything(page);
    page.zoomTo(page.home);
  });
  least.addEventListener('change', () => {
    page.filter.isCriticalOnly = least.value === 'critical';
    page.filter.minUs = Number(least.value) || 0;
    page.refilter();
  });
  byId('zoom-in').addEventListener('click', () => page.zoomTo(zoomWindow(page.seen, page.limits, 0.5, middleUs(page))));
  byId('zoom-out').addEventListener('click', () => page.zoomTo(zoomWindow(page.seen, page.limits, 2, middleUs(page))));
  byId('zoom-fit').addEventListener('click', () => page.zoomTo(page.home));
  byId('open-all').addEventListener('click', () => {
    const { openIds } = page.filter;
    const isAnyOpen = [...openIds].some((id) => !page.lines.get(id)?.isGroup);
    openIds.clear();
    for (const line of page.lines.values())
      if (line.children.length > 0 && (line.isGroup || !isAnyOpen)) openIds.add(line.id);
    byId('open-all').textContent = isAnyOpen ? 'Expand all' : 'Collapse all';
    page.refilter();
  });
  byId('help').addEventListener('click', () => byId<HTMLDialogElement>('keys').showModal());
  for (const tab of document.querySelectorAll<HTMLElement>('[role=tab]')) {
    tab.addEventListener('click', () => showTab(tab.id.replace('tab-', '')));
    byId(tab.id.replace('tab-', 'panel-')).addEventListener('beforematch', () => showTab(tab.id.replace('tab-', '')));
    tab.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      const tabs = [...document.querySelectorAll<HTMLElement>('[role=tab]:not([hidden])')];
      const next = step === 0 ? undefined : tabs[tabs.indexOf(tab) + step];
      if (!next) return;
      showTab(next.id.replace('tab-', ''));
      next.focus();
    });
  }
}

export function setSearch(page: Page, query: string): void {
  byId<HTMLInputElement>('search').value = query;
  page.filter.query = query;
  byId('scroller').scrollTop = 0;
  page.refilter();
}

export function showTab(name: string): void {
  for (const tab of document.querySelectorAll<HTMLElement>('[role=tab]')) {
    const isChosen = tab.id === `tab-${name}`;
    tab.setAttribute('aria-selected', String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    const panel = byId(tab.id.replace('tab-', 'panel-'));
    panel.classList.toggle('chosen', isChosen);
    // The search of the browser finds text in it; the match opens the tab.
    if (isChosen) panel.removeAttribute('hidden');
    else panel.setAttribute('hidden', 'until-found');
  }
}

/** On a small window, the answer fills the screen: what was asked for may be below. */
export function scrollToPanel(name: string): void {
  const panel = byId(`panel-${name}`);
  if (panel.getBoundingClientRect().top > window.innerHeight * 0.6) panel.scrollIntoView?.({ block: 'start' });
}

/** Clears all filters. */
export function showEverything(page: Page): void {
  Object.assign(page.filter, { query: '', minUs: 0, isCriticalOnly: false });
  page.filter.hiddenSources.clear();
  byId<HTMLInputElement>('search').value = '';
  byId<HTMLSelectElement>('least').value = '0';
  for (const chip of document.querySelectorAll('.chip')) chip.setAttribute('aria-pressed', 'true');
  page.refilter();
}
