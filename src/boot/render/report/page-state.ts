/// <reference lib="dom" />
// boot/render/report/page-state.ts: what does the page know at any moment, and what can its parts ask of it?
import type { ReportView } from '../report-data.ts';
import type { Filter, Line, VisibleLine } from './lines.ts';
import type { TimeWindow } from './time-window.ts';

export interface Page {
  readonly views: readonly ReportView[];
  readonly lines: Map<string, Line>;
  /** Per boot, ids on its critical path. */
  readonly critical: readonly ReadonlySet<string>[];
  /** Everything there is; how far out one can zoom. */
  readonly limits: TimeWindow;
  /** The boot itself: what is seen first, and what the overview shows. */
  readonly home: TimeWindow;
  seen: TimeWindow;
  readonly filter: Filter & { openIds: Set<string>; hiddenSources: Set<string> };
  shown: VisibleLine[];
  /** Where each shown line is. */
  rowOf: Map<string, number>;
  selectedId: string | undefined;
  look(window: TimeWindow): void;
  refilter(): void;
  select(id: string | undefined): void;
  /** Brings a line into view whatever hides it. */
  reveal(id: string): void;
  toggle(line: Line): void;
}

/** As many boots as one report shows; chart.css has a place for each. The others are held against the first. */
export const BOOT_LETTERS = ['A', 'B', 'C', 'D'];

/** From one bar to the one below it. */
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
  const airUs = Math.max(500, (lastEndUs(line) - line.startUs) * 0.15);
  return { fromUs: line.startUs - airUs, toUs: lastEndUs(line) + airUs };
}

/** What buttons and keys zoom to: the chosen line while it is in sight, else the middle of the chart. */
export function middleUs(page: Page): number {
  const line = page.selectedId === undefined ? undefined : page.lines.get(page.selectedId);
  const atUs = line ? (line.startUs + lastEndUs(line)) / 2 : Number.NaN;
  return atUs > page.seen.fromUs && atUs < page.seen.toUs ? atUs : (page.seen.fromUs + page.seen.toUs) / 2;
}
