/// <reference lib="dom" />
// boot/render/report/axis.ts: which times and milestones are written above the chart?
import { formatSpan } from '../../../base/duration.ts';
import { byId, el, svgEl } from './elements.ts';
import { BOOT_LETTERS, type Page, percent, shareOf } from './page-state.ts';
import { placeLabels, ticksOf } from './time-window.ts';

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

/** `widthPx` is the width that the chart will have, on the screen or on paper. */
export function drawAxis(page: Page, widthPx: number): void {
  const axis = byId('axis');
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
      const textPx = text.length * 6.6 + 14;
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
