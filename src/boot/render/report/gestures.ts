/// <reference lib="dom" />
// boot/render/report/gestures.ts: what do the pointer and the wheel do on the chart?
import { showTip } from './details.ts';
import { byId } from './elements.ts';
import { ordered } from './overview.ts';
import { around, middleUs, type Page, percent, shareOf } from './page-state.ts';
import { panWindow, zoomWindow } from './time-window.ts';
import type { Waterfall } from './waterfall.ts';

export function listenChart(page: Page, waterfall: Waterfall, draw: () => void): void {
  const chart = byId('chart');
  const scroller = byId('scroller');
  const axis = byId('axis');
  const range = byId('range');
  const timeAt = (clientX: number) => {
    const box = axis.getBoundingClientRect();
    return page.seen.fromUs + ((clientX - box.left) / box.width) * (page.seen.toUs - page.seen.fromUs);
  };
  scroller.addEventListener('scroll', draw, { passive: true });
  scroller.addEventListener('pointermove', (event) =>
    showTip(page, event.buttons ? undefined : waterfall.lineAt(event.target), event),
  );
  scroller.addEventListener('pointerleave', (event) => showTip(page, undefined, event));
  scroller.addEventListener('click', (event) => {
    showTip(page, undefined, event);
    const line = waterfall.lineAt(event.target);
    if (!line) return;
    if (event.target instanceof Element && event.target.closest('.twist') && line.children.length > 0)
      page.toggle(line);
    else page.select(line.id);
  });
  scroller.addEventListener('dblclick', (event) => {
    const line = waterfall.lineAt(event.target);
    if (line) page.zoomTo(around(line));
  });
  chart.addEventListener(
    'wheel',
    (event) => {
      const isOverRows = event.target instanceof Node && scroller.contains(event.target);
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (event.ctrlKey || event.metaKey || event.altKey || (!isOverRows && !event.shiftKey)) {
        const factor = 1.0015 ** Math.max(-600, Math.min(600, event.deltaY * (event.deltaMode === 1 ? 30 : 1)));
        const isOverview = event.target instanceof Node && byId('overview').contains(event.target);
        const atUs = isOverview ? middleUs(page) : timeAt(event.clientX);
        page.zoomTo(zoomWindow(page.seen, page.limits, factor, atUs));
      } else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
        page.zoomTo(
          panWindow(page.seen, page.limits, (sideways / axis.clientWidth) * (page.seen.toUs - page.seen.fromUs)),
        );
      } else return;
      event.preventDefault();
    },
    { passive: false },
  );
  chart.addEventListener('pointerdown', (event) => {
    const isOnChart = event.target instanceof Element && event.target.closest('.track, #axis');
    if (!isOnChart || event.button !== 0 || event.pointerType === 'touch') return;
    const fromUs = timeAt(event.clientX);
    const onMove = (move: PointerEvent) => {
      if (Math.abs(move.clientX - event.clientX) < 5 && range.hidden) return;
      const marked = ordered(fromUs, timeAt(move.clientX));
      range.hidden = false;
      range.style.left = percent(shareOf(page.seen, marked.fromUs));
      range.style.width = percent(shareOf(page.seen, marked.toUs) - shareOf(page.seen, marked.fromUs));
      chart.classList.add('dragging');
    };
    const onUp = (up: PointerEvent) => {
      window.removeEventListener('pointermove', onMove);
      if (!range.hidden) {
        page.zoomTo(ordered(fromUs, timeAt(up.clientX)));
        window.addEventListener('click', (click) => click.stopPropagation(), { capture: true, once: true });
      }
      range.hidden = true;
      chart.classList.remove('dragging');
    };
    window.addEventListener('pointermove', onMove);
    window.addEventListener('pointerup', onUp, { once: true });
  });
}
