// boot/compat/cloud-init/clock-ticks.ts: what do the banners' uptimes say about the clock: when was zero, and did it step?
import type { CloudInitBoot, Tick } from './stages.ts';

export interface ZeroRange {
  /** The wall clock at uptime zero lies in [fromUs, toUs]. */
  fromUs: number;
  toUs: number;
}

export interface ClockStep {
  beforeUs: number;
  afterUs: number;
  /** At least this much, negative if the clock was set back. */
  byUs: number;
}

/** /proc/uptime is cut off at a hundredth of a second. */
const UPTIME_US = 10_000;
/** Without the banner's own clock only its stamp is known, which is written some time after the uptime was read. */
const WRITE_DELAY_US = 1_000_000;

/**
 * A banner shows its clock in whole seconds and the uptime beside it, and gets its own stamp when it is written, which on a
 * busy machine is hundreds of milliseconds later: the stamp is only an upper bound.
 */
export function wallRangeAt(tick: Tick): { fromUs: number; toUs: number } {
  const fromUs = tick.clockUs ?? tick.atUs - WRITE_DELAY_US;
  const wholeSecondUs = fromUs + 1_000_000;
  const stampHasFraction = tick.atUs % 1_000_000 !== 0;
  const toUs = stampHasFraction && tick.atUs >= fromUs ? Math.min(wholeSecondUs, tick.atUs + 1000) : wholeSecondUs;
  return { fromUs: fromUs - UPTIME_US, toUs };
}

export function clockSteps(boot: CloudInitBoot): ClockStep[] {
  const steps: ClockStep[] = [];
  let known: (ZeroRange & { tick: Tick }) | undefined;
  for (const tick of boot.ticks) {
    const range = zeroRange(tick);
    const apartUs = known ? distance(known, range) : 0;
    if (known && apartUs !== 0) steps.push({ beforeUs: known.tick.atUs, afterUs: tick.atUs, byUs: apartUs });
    known = known && apartUs === 0 ? { ...intersection(known, range), tick } : { ...range, tick };
  }
  return steps;
}

/** When uptime was zero, by the boot's first banners up to a step of the clock; undefined without banners. */
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

function zeroRange(tick: Tick): ZeroRange {
  const { fromUs, toUs } = wallRangeAt(tick);
  return { fromUs: fromUs - tick.upUs, toUs: toUs - tick.upUs };
}

/** 0 if the ranges touch; else how far the second lies from the first. */
function distance(a: ZeroRange, b: ZeroRange): number {
  if (b.fromUs > a.toUs) return b.fromUs - a.toUs;
  return b.toUs < a.fromUs ? b.toUs - a.fromUs : 0;
}

function intersection(a: ZeroRange, b: ZeroRange): ZeroRange {
  return { fromUs: Math.max(a.fromUs, b.fromUs), toUs: Math.min(a.toUs, b.toUs) };
}
