// boot/compat/systemd/versions.ts: how does the output of `systemd-analyze` differ between versions?
import { UserError } from '../../../base/errors.ts';

export const OLDEST_VERSION = 238;
export const NEWEST_VERSION = 262;
const NEWEST_POINT = 1;
export const NEWEST_NAME = `${NEWEST_VERSION}.${NEWEST_POINT}`;

export interface Behaviour {
  version: number;
  /** `262`, or `262.1` for a point release. */
  name: string;
  /** The header of critical-chain has "when unit became active" instead of "after the unit is active". */
  hasNewChainHeader: boolean;
  /** blame pads names with blanks to the width of the longest. */
  padsBlame: boolean;
  /** The second line of `time` ends with a full stop. */
  hasFullStop: boolean;
  /** plot --json, --table and --no-legend. */
  hasPlotTable: boolean;
  /** blame works before the boot has finished. */
  blamesUnfinished: boolean;
  /** plot: every unit is a group with a tooltip that lists its dependencies. */
  hasTooltips: boolean;
  /** A unit before userspace is printed without a time instead of with 584542 years. */
  guardsPreUserspace: boolean;
  /** Times of a soft reboot count from the shutdown before it. */
  supportsSoftReboot: boolean;
  /** dot: BindsTo is gold. */
  drawsBindsTo: boolean;
  /** plot --scale-svg and --detailed. */
  hasPlotScale: boolean;
  /** plot: times in the tooltips. */
  hasTooltipTimes: boolean;
  /**
   * The shutdown before this boot has stamps of its own; before, ShutdownStart was that shutdown and units older than
   * it were left out even without a soft reboot.
   */
  readsPreviousShutdown: boolean;
  /** blame --json. */
  hasBlameJson: boolean;
  /** plot: 12 s 45 µs is 12.000045 in the tooltips; before, it was 12.045. */
  padsMicros: boolean;
}

export function behaviourOf(version: number, point = 0): Behaviour {
  return {
    version,
    name: point > 0 ? `${version}.${point}` : String(version),
    hasNewChainHeader: version >= 242,
    padsBlame: version >= 243 && version <= 245,
    hasFullStop: version >= 251,
    hasPlotTable: version >= 253,
    blamesUnfinished: version >= 254,
    hasTooltips: version >= 255,
    guardsPreUserspace: version >= 256,
    supportsSoftReboot: version >= 256,
    drawsBindsTo: version >= 256,
    hasPlotScale: version >= 257,
    hasTooltipTimes: version >= 257,
    readsPreviousShutdown: version >= 262,
    hasBlameJson: version >= 262,
    padsMicros: version > 262 || (version === 262 && point >= 1),
  };
}

export const newestBehaviour = (): Behaviour => behaviourOf(NEWEST_VERSION, NEWEST_POINT);

/** `252`, `252.39-1~deb12u2`, `v252`, or true for the newest known version. */
export function parseVersion(text: string | true): { version: number; point: number } {
  if (text === true) return { version: NEWEST_VERSION, point: NEWEST_POINT };
  const match = /^v?(\d{3})(?!\d)(?:\.(\d{1,3}))?/.exec(text);
  const version = match ? Number(match[1]) : Number.NaN;
  if (version >= OLDEST_VERSION && version <= NEWEST_VERSION) return { version, point: Number(match?.[2] ?? 0) };
  throw new UserError(`--compat=${text} is not a systemd version from ${OLDEST_VERSION} to ${NEWEST_VERSION}`, {
    code: 'boot/compat-version',
    next: `use the major version, as in --compat=252, or --compat alone for ${NEWEST_NAME}`,
  });
}
