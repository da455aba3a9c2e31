/// <reference lib="dom" />
// boot/render/report/page-state.ts: what is the state of the page, and how do its parts change it?
import type { ReportView } from '../report-data.ts';
import type { Filter, Line, VisibleLine } from './lines.ts';
import type { TimeWindow } from './time-window.ts';

export interface Page {
  readonly views: readonly ReportView[];
  readonly lines: Map<string, Line>;
  /** Per boot, ids on its critical path. */
  readonly critical: readonly ReadonlySet<string>[];
  /** The widest window: all spans. */
  readonly limits: TimeWindow;
  /** The boot: the initial window, and the range of the overview. */
  readonly home: TimeWindow;
  seen: TimeWindow;
  readonly filter: Filter & { openIds: Set<string>; hiddenSources: Set<string> };
  shown: VisibleLine[];
  /** Row index of each visible line. */
  rowOf: Map<string, number>;
  selectedId: string | undefined;
  zoomTo(window: TimeWindow): void;
  refilter(): void;
  select(id: string | undefined): void;
  /** Scrolls to a line; clears the filters that hide it. */
  reveal(id: string): void;
  toggle(line: Line): void;
}

/** One per boot; chart.css has a style for each. All boots are compared with the first. */
export const BOOT_LETTERS = ['A', 'B', 'C', 'D'];

export const BAR_STEP_PX = 13;

export function shareOf(window: TimeWindow, atUs: number): number {
  return (atUs - window.fromUs) / (window.toUs - window.fromUs);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(4)}%`;
}

export function lastEndUs(line: Line): number {
  return line.bars.reduce((last, bar) => Math.max(last, bar?.endUs ?? last), line.startUs);
}

export function around(line: Line): TimeWindow {
  const marginUs = Math.max(500, (lastEndUs(line) - line.startUs) * 0.15);
  return { fromUs: line.startUs - marginUs, toUs: lastEndUs(line) + marginUs };
}

/** The centre for zooming with buttons and keys: the selected line if it is visible, else the middle of the chart. */
export function middleUs(page: Page): number {
  const line = page.selectedId === undefined ? undefined : page.lines.get(page.selectedId);
  const atUs = line ? (line.startUs + lastEndUs(line)) / 2 : Number.NaN;
  return atUs > page.seen.fromUs && atUs < page.seen.toUs ? atUs : (page.seen.fromUs + page.seen.toUs) / 2;
}
