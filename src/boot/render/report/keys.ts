/// <reference lib="dom" />
// boot/render/report/keys.ts: what does each key do?
import { byId } from './elements.ts';
import { around, middleUs, type Page } from './page-state.ts';
import { panWindow, zoomWindow } from './time-window.ts';
import { setSearch } from './toolbar.ts';
import type { Waterfall } from './waterfall.ts';

export function listenKeys(page: Page, waterfall: Waterfall): void {
  const search = byId<HTMLInputElement>('search');
  const scroller = byId('scroller');
  const moveBy = (rows: number) => {
    const now = page.selectedId === undefined ? -1 : (page.rowOf.get(page.selectedId) ?? -1);
    const next = Math.min(Math.max(now + rows, 0), page.shown.length - 1);
    const line = page.shown[next]?.line;
    if (!line) return;
    page.select(line.id);
    waterfall.scrollTo(next);
  };
  const openOrClose = (isOpening: boolean) => {
    const line = page.selectedId === undefined ? undefined : page.lines.get(page.selectedId);
    if (!line) return;
    const isOpen = page.filter.openIds.has(line.id);
    if (line.children.length > 0 && isOpen !== isOpening) page.toggle(line);
    else if (!isOpening && line.parent) page.select(line.parent.id);
  };
  const zoom = (factor: number) => page.zoomTo(zoomWindow(page.seen, page.limits, factor, middleUs(page)));
  const pan = (share: number) =>
    page.zoomTo(panWindow(page.seen, page.limits, share * (page.seen.toUs - page.seen.fromUs)));
  const anywhere: Record<string, () => void> = {
    '/': () => search.focus(),
    '+': () => zoom(0.6),
    '=': () => zoom(0.6),
    '-': () => zoom(1 / 0.6),
    '0': () => page.zoomTo(page.home),
    w: () => zoom(0.6),
    s: () => zoom(1 / 0.6),
    a: () => pan(-0.2),
    d: () => pan(0.2),
    '?': () => byId<HTMLDialogElement>('keys').showModal(),
    Escape: () => {
      if (page.filter.query !== '') setSearch(page, '');
      else if (page.selectedId !== undefined) page.select(undefined);
      else page.zoomTo(page.home);
    },
  };
  const onRows: Record<string, () => void> = {
    ArrowDown: () => moveBy(1),
    ArrowUp: () => moveBy(-1),
    PageDown: () => moveBy(15),
    PageUp: () => moveBy(-15),
    Home: () => moveBy(-page.shown.length),
    End: () => moveBy(page.shown.length),
    ArrowRight: () => openOrClose(true),
    ArrowLeft: () => openOrClose(false),
    Enter: () => {
      const line = page.selectedId === undefined ? undefined : page.lines.get(page.selectedId);
      if (line) page.zoomTo(around(line));
    },
  };
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (isTyping && event.key !== 'Escape') return;
    if (isTyping) (event.target as HTMLElement).blur();
    const action = (event.target === scroller ? onRows[event.key] : undefined) ?? anywhere[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
