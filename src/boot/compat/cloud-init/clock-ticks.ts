// boot/compat/cloud-init/clock-ticks.ts: when was uptime zero, and did the clock step, according to the uptimes in the banners?
import type { CloudInitBoot, UptimeTick } from './stages.ts';

export interface ZeroRange {
  /** The wall clock at uptime zero is in [fromUs, toUs]. */
  fromUs: number;
  toUs: number;
}

export interface ClockStep {
  beforeUs: number;
  afterUs: number;
  /** A lower bound; negative if the clock was set back. */
  byUs: number;
}

/** /proc/uptime is truncated to hundredths of a second. */
const UPTIME_US = 10_000;
/** Without a clock in the banner, only its stamp is known, which is taken some time after the uptime. */
const WRITE_DELAY_US = 1_000_000;

/**
 * A banner has the clock in whole seconds and the uptime. Its stamp is taken when the line is written, on a busy machine
 * hundreds of milliseconds later, so the stamp is only an upper bound.
 */
export function wallRangeAt(tick: UptimeTick): { fromUs: number; toUs: number } {
  const fromUs = tick.clockUs ?? tick.atUs - WRITE_DELAY_US;
  const wholeSecondUs = fromUs + 1_000_000;
  const stampHasFraction = tick.atUs % 1_000_000 !== 0;
  const toUs = stampHasFraction && tick.atUs >= fromUs ? Math.min(wholeSecondUs, tick.atUs + 1000) : wholeSecondUs;
  return { fromUs: fromUs - UPTIME_US, toUs };
}

export function clockSteps(boot: CloudInitBoot): ClockStep[] {
  const steps: ClockStep[] = [];
  let known: (ZeroRange & { tick: UptimeTick }) | undefined;
  for (const tick of boot.ticks) {
    const range = zeroRange(tick);
    const apartUs = known ? distance(known, range) : 0;
    if (known && apartUs !== 0) steps.push({ beforeUs: known.tick.atUs, afterUs: tick.atUs, byUs: apartUs });
    known = known && apartUs === 0 ? { ...intersection(known, range), tick } : { ...range, tick };
  }
  return steps;
}

/** When uptime was zero, from the boot's first banners up to a clock step; undefined without banners. */
export function zeroOf(boot: CloudInitBoot): ZeroRange | undefined {
  let known: ZeroRange | undefined;
  for (const tick of boot.ticks) {
    const range = zeroRange(tick);
    if (!known) known = range;
    else if (distance(known, range) === 0) known = intersection(known, range);
    else break;
  }
  return known;
}

function zeroRange(tick: UptimeTick): ZeroRange {
  const { fromUs, toUs } = wallRangeAt(tick);
  return { fromUs: fromUs - tick.upUs, toUs: toUs - tick.upUs };
}

/** 0 if the ranges overlap or touch; else the gap from the first to the second, with sign. */
function distance(a: ZeroRange, b: ZeroRange): number {
  if (b.fromUs > a.toUs) return b.fromUs - a.toUs;
  return b.toUs < a.fromUs ? b.toUs - a.fromUs : 0;
}

function intersection(a: ZeroRange, b: ZeroRange): ZeroRange {
  return { fromUs: Math.max(a.fromUs, b.fromUs), toUs: Math.min(a.toUs, b.toUs) };
}
