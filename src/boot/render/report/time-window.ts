// boot/render/report/time-window.ts: which part of the boot is visible, and where do its ticks and labels go?
import { formatSpan } from '../../../base/duration.ts';

export interface TimeWindow {
  fromUs: number;
  toUs: number;
}

const NARROWEST_US = 200;
const MINUTE_US = 60_000_000;

/** Scales the window around `atUs`, which keeps its position on screen. */
export function zoomWindow(seen: TimeWindow, limits: TimeWindow, factor: number, atUs: number): TimeWindow {
  const widthUs = seen.toUs - seen.fromUs;
  const wantedUs = Math.min(Math.max(widthUs * factor, NARROWEST_US), limits.toUs - limits.fromUs);
  const share = (atUs - seen.fromUs) / widthUs;
  return fitWindow({ fromUs: atUs - share * wantedUs, toUs: atUs + (1 - share) * wantedUs }, limits);
}

export function panWindow(seen: TimeWindow, limits: TimeWindow, byUs: number): TimeWindow {
  return fitWindow({ fromUs: seen.fromUs + byUs, toUs: seen.toUs + byUs }, limits);
}

/** Moves the window into `limits`; keeps its width if possible. */
export function fitWindow(wanted: TimeWindow, limits: TimeWindow): TimeWindow {
  const widthUs = Math.min(Math.max(wanted.toUs - wanted.fromUs, NARROWEST_US), limits.toUs - limits.fromUs);
  const fromUs = Math.min(Math.max(wanted.fromUs, limits.fromUs), limits.toUs - widthUs);
  return { fromUs, toUs: fromUs + widthUs };
}

export interface AxisTick {
  atUs: number;
  label: string;
}

export function ticksOf(seen: TimeWindow, count: number): AxisTick[] {
  const stepUs = roundStepUs((seen.toUs - seen.fromUs) / Math.max(1, count));
  const ticks: AxisTick[] = [];
  for (let step = Math.ceil(seen.fromUs / stepUs); step * stepUs <= seen.toUs && ticks.length < 200; step++) {
    ticks.push({ atUs: step * stepUs, label: tickLabel(step * stepUs, stepUs) });
  }
  return ticks;
}

function roundStepUs(atLeastUs: number): number {
  if (atLeastUs > 20 * MINUTE_US) return Math.ceil(atLeastUs / (60 * MINUTE_US)) * 60 * MINUTE_US;
  if (atLeastUs > 50_000_000) return [1, 2, 5, 10, 20].map((n) => n * MINUTE_US).find((us) => us >= atLeastUs)!;
  if (atLeastUs > 5_000_000) return [10, 20, 30, 60].map((n) => n * 1e6).find((us) => us >= atLeastUs)!;
  const power = 10 ** Math.floor(Math.log10(Math.max(atLeastUs, 1)));
  return [1, 2, 5, 10].map((n) => n * power).find((us) => us >= atLeastUs - 1e-6)!;
}

function tickLabel(atUs: number, stepUs: number): string {
  if (stepUs >= 1000) return formatSpan(atUs);
  return `${(atUs / 1000).toFixed(3)}ms`;
}

export interface LabelExtent {
  fromPx: number;
  toPx: number;
}

/** Puts each label into the first lane where it overlaps no earlier label; drops it if there is none. Most important first. */
export function placeLabels<T>(
  items: T[],
  extentOf: (item: T) => LabelExtent,
  lanes: number,
): { item: T; lane: number }[] {
  const taken: LabelExtent[][] = Array.from({ length: lanes }, () => []);
  return items.flatMap((item) => {
    const { fromPx, toPx } = extentOf(item);
    const lane = taken.findIndex((others) => others.every((other) => toPx <= other.fromPx || fromPx >= other.toPx));
    taken[lane]?.push({ fromPx, toPx });
    return lane < 0 ? [] : [{ item, lane }];
  });
}

export function formatChange(us: number): string {
  return us === 0 ? '±0' : `${us > 0 ? '+' : '−'}${formatSpan(Math.abs(us))}`;
}
