/// <reference lib="dom" />
// boot/render/report/overview.ts: which part of the boot does the chart show? A small chart of the whole boot with a window to drag.
import { lineColour } from './colours.ts';
import { byId, colourOf } from './elements.ts';
import { type Page, percent, shareOf } from './page-state.ts';
import { panWindow, type TimeWindow } from './time-window.ts';

export interface Overview {
  /** Redraws the chart; needed if rows, size or colours change. */
  paint(): void;
  /** Moves the window; needed after every zoom. */
  place(): void;
}

const EDGE_PX = 7;

export function makeOverview(page: Page): Overview {
  const canvas = byId<HTMLCanvasElement>('overview-canvas');
  const frame = byId('overview');
  const brush = byId('brush');

  frame.addEventListener('pointerdown', (event) => {
    const atUs = timeAt(event.clientX);
    const box = brush.getBoundingClientRect();
    const start = { ...page.seen };
    const isWhole = box.width > frame.clientWidth * 0.98;
    const isLeftEdge = !isWhole && Math.abs(event.clientX - box.left) < EDGE_PX;
    const isRightEdge = !isWhole && Math.abs(event.clientX - box.right) < EDGE_PX;
    const isInside = !isWhole && event.clientX > box.left && event.clientX < box.right;
    frame.setPointerCapture(event.pointerId);
    const onMove = (move: PointerEvent) => {
      const nowUs = timeAt(move.clientX);
      if (isLeftEdge) page.zoomTo(ordered(nowUs, start.toUs));
      else if (isRightEdge) page.zoomTo(ordered(start.fromUs, nowUs));
      else if (isInside) page.zoomTo(panWindow(start, page.limits, nowUs - atUs));
      else if (Math.abs(move.clientX - event.clientX) > 3) page.zoomTo(ordered(atUs, nowUs));
    };
    frame.addEventListener('pointermove', onMove);
    frame.addEventListener('pointerup', () => frame.removeEventListener('pointermove', onMove), { once: true });
    frame.addEventListener('pointercancel', () => frame.removeEventListener('pointermove', onMove), { once: true });
  });
  frame.addEventListener('dblclick', () => page.zoomTo(page.home));

  function timeAt(clientX: number): number {
    const box = frame.getBoundingClientRect();
    return page.home.fromUs + ((clientX - box.left) / box.width) * (page.home.toUs - page.home.fromUs);
  }

  function paint(): void {
    const scale = window.devicePixelRatio || 1;
    const widthPx = canvas.clientWidth;
    const heightPx = canvas.clientHeight;
    canvas.width = Math.round(widthPx * scale);
    canvas.height = Math.round(heightPx * scale);
    const context = canvas.getContext('2d');
    if (!context) return;
    context.scale(scale, scale);
    const colours = new Map<string, string>();
    const colour = (name: string) => {
      if (!colours.has(name)) colours.set(name, colourOf(name));
      return colours.get(name)!;
    };
    const lines = page.shown.map(({ line }) => line).filter((line) => !line.isGroup);
    const stepPx = Math.min(4, (heightPx - 6) / Math.max(1, lines.length));
    lines.forEach((line, at) => {
      line.bars.forEach((bar, boot) => {
        if (!bar) return;
        const fromPx = shareOf(page.home, bar.startUs) * widthPx;
        const toPx = shareOf(page.home, bar.endUs) * widthPx;
        context.globalAlpha = bar.wait ? 0.45 : 0.9;
        context.fillStyle = colour(line.bars.length > 1 ? `ink-boot-${boot}` : `ink-${lineColour(line)}`);
        context.fillRect(fromPx, 3 + at * stepPx, Math.max(1, toPx - fromPx), Math.max(1, stepPx * 0.8));
      });
    });
  }

  function place(): void {
    const left = Math.max(0, Math.min(1, shareOf(page.home, page.seen.fromUs)));
    const right = Math.max(0, Math.min(1, shareOf(page.home, page.seen.toUs)));
    brush.style.left = percent(left);
    brush.style.width = percent(right - left);
  }

  return { paint, place };
}

export function ordered(oneUs: number, otherUs: number): TimeWindow {
  return { fromUs: Math.min(oneUs, otherUs), toUs: Math.max(oneUs, otherUs) };
}
