// boot/compat/cloud-init/read/wall-time.ts: which instant is a stamp without a zone or a year?
import { civilSeconds } from './civil-time.ts';
import type { LogStamp } from './log-line.ts';

const QUARTER_US = 15 * 60e6;
const DAY_US = 86_400e6;
/** A banner is written shortly after its clock was read; a larger difference is a clock step, not a zone. */
const BANNER_DELAY_US = 120e6;

export interface WallTime {
  /** µs since 1970, or undefined without a stamp. Call it in file order. `clockUs`: the clock in a banner. */
  of(stamp: LogStamp, clockUs?: number): number | undefined;
  /** Correction for the stamps before the first banner, which has the zone and the year. */
  lateShiftUs(): number;
  /** The year that was assumed because no banner names one. */
  assumedYear(): number | undefined;
  /** Zone offsets that were applied, µs east of UTC. */
  zonesUs(): readonly number[];
}

/**
 * Logs of 0.7.x are in local time but their banners are in UTC: the difference is the zone. The banner also has the year,
 * which syslog stamps lack. Without a banner, assume the latest year that is not in the future.
 */
export function wallTime(nowUs: number): WallTime {
  let zoneUs: number | undefined;
  let referenceUs: number | undefined;
  let lateShiftUs = 0;
  let assumedUs: number | undefined;
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
      if (referenceUs !== undefined) return nearest(stamp, referenceUs);
      assumedUs = latestNotAfter(stamp, nowUs + DAY_US);
      return assumedUs;
    }
    assumedUs = undefined;
    const us = nearest(stamp, clockUs);
    if (referenceUs !== undefined && zoneUs === undefined) {
      const wouldBe = nearest(stamp, referenceUs);
      lateShiftUs += us - wouldBe; // earlier lines assumed another year
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

  const assumedYear = () => (assumedUs === undefined ? undefined : new Date(assumedUs / 1000).getUTCFullYear());
  return { of, lateShiftUs: () => lateShiftUs, assumedYear, zonesUs: () => [...zones] };
}

type YearlessStamp = Extract<LogStamp, { kind: 'yearless' }>;

function inYear({ month, day, dayUs }: YearlessStamp, year: number): number | undefined {
  const seconds = civilSeconds({ year, month, day, hour: 0, minute: 0, second: 0, micros: 0 });
  return seconds === undefined ? undefined : seconds * 1e6 + dayUs;
}

/** Picks the year that is closest, so that January follows December. Eight years always include a leap day. */
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
