// boot/compat/cloud-init/read/wall-time.ts: what instant does a stamp mean that leaves out its zone or its year?
import { civilSeconds } from './civil-time.ts';
import type { LogStamp } from './log-line.ts';

const QUARTER_US = 15 * 60e6;
const DAY_US = 86_400e6;
/** A banner is written moments after the clock was read for it; more than this is not a zone but a stepped clock. */
const BANNER_DELAY_US = 120e6;

export interface WallTime {
  /** µs since 1970, or undefined if the line has no stamp; lines must come in file order. `clockUs`: what a banner shows. */
  of(stamp: LogStamp, clockUs?: number): number | undefined;
  /** Correction for what was read before the first banner told the zone or the year. */
  lateShiftUs(): number;
  /** Zone offsets that were applied, µs east of UTC. */
  zonesUs(): readonly number[];
}

/**
 * Logs of 0.7.x are in local time while the banner in them is in UTC: the difference is the zone. The banner also has a
 * year, which syslog stamps have not; without a banner the stamp is taken to be the latest one that is not in the future.
 */
export function wallTime(nowUs: number): WallTime {
  let zoneUs: number | undefined;
  let referenceUs: number | undefined;
  let lateShiftUs = 0;
  const zones = new Set<number>();

  function of(stamp: LogStamp, clockUs?: number): number | undefined {
    if (stamp.kind === 'none') return undefined;
    const us = rawUs(stamp, clockUs);
    if (stamp.kind === 'yearless') referenceUs = us;
    if (stamp.kind === 'zoned') return us;
    if (clockUs !== undefined) learnZone(us - clockUs);
    return us - (zoneUs ?? 0);
  }

  function rawUs(stamp: Exclude<LogStamp, { kind: 'none' }>, clockUs: number | undefined): number {
    if (stamp.kind !== 'yearless') return stamp.us;
    if (clockUs === undefined) {
      return referenceUs === undefined ? latestNotAfter(stamp, nowUs + DAY_US) : nearest(stamp, referenceUs);
    }
    const us = nearest(stamp, clockUs);
    if (referenceUs !== undefined && zoneUs === undefined) {
      const wouldBe = nearest(stamp, referenceUs);
      lateShiftUs += us - wouldBe; // the lines before took another year for granted
    }
    return us;
  }

  function learnZone(aheadUs: number): void {
    const offsetUs = Math.round(aheadUs / QUARTER_US) * QUARTER_US;
    const isZone = Math.abs(offsetUs) <= 14 * 3600e6 && Math.abs(aheadUs - offsetUs) <= BANNER_DELAY_US;
    const learnedUs = isZone ? offsetUs : 0;
    if (zoneUs === undefined) lateShiftUs -= learnedUs;
    zoneUs = learnedUs;
    if (learnedUs !== 0) zones.add(learnedUs);
  }

  return { of, lateShiftUs: () => lateShiftUs, zonesUs: () => [...zones] };
}

type YearlessStamp = Extract<LogStamp, { kind: 'yearless' }>;

function inYear({ month, day, dayUs }: YearlessStamp, year: number): number | undefined {
  const seconds = civilSeconds({ year, month, day, hour: 0, minute: 0, second: 0, micros: 0 });
  return seconds === undefined ? undefined : seconds * 1e6 + dayUs;
}

/** The year that brings the stamp closest, so December is followed by January. Eight years always hold a leap day. */
function nearest(stamp: YearlessStamp, toUs: number): number {
  const year = new Date(toUs / 1000).getUTCFullYear();
  let best: number | undefined;
  for (let y = year - 8; y <= year + 8; y++) {
    const us = inYear(stamp, y);
    if (us !== undefined && (best === undefined || Math.abs(us - toUs) < Math.abs(best - toUs))) best = us;
  }
  return best ?? toUs;
}

function latestNotAfter(stamp: YearlessStamp, limitUs: number): number {
  const year = new Date(limitUs / 1000).getUTCFullYear();
  for (let y = year; y >= year - 8; y--) {
    const us = inYear(stamp, y);
    if (us !== undefined && us <= limitUs) return us;
  }
  return limitUs;
}
