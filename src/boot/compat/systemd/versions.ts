// boot/compat/systemd/versions.ts: how does the output of `systemd-analyze` differ between versions?
import { UserError } from '../../../base/errors.ts';

export const OLDEST_VERSION = 238;
export const NEWEST_VERSION = 261;

export interface Behaviour {
  version: number;
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
  /** plot: --scale-svg, and times in the tooltips. */
  hasTooltipTimes: boolean;
}

export function behaviourOf(version: number): Behaviour {
  return {
    version,
    hasNewChainHeader: version >= 242,
    padsBlame: version >= 243 && version <= 245,
    hasFullStop: version >= 251,
    hasPlotTable: version >= 253,
    blamesUnfinished: version >= 254,
    hasTooltips: version >= 255,
    guardsPreUserspace: version >= 256,
    supportsSoftReboot: version >= 256,
    drawsBindsTo: version >= 256,
    hasTooltipTimes: version >= 257,
  };
}

/** `252`, `252.39-1~deb12u2`, `v252`, or true for the newest known version. */
export function parseVersion(text: string | true): number {
  if (text === true) return NEWEST_VERSION;
  const match = /^v?(\d{3})(?!\d)/.exec(text);
  const version = match ? Number(match[1]) : Number.NaN;
  if (version >= OLDEST_VERSION && version <= NEWEST_VERSION) return version;
  throw new UserError(`--compat=${text} is not a systemd version from ${OLDEST_VERSION} to ${NEWEST_VERSION}`, {
    code: 'boot/compat-version',
    next: `use the major version, as in --compat=252, or --compat alone for ${NEWEST_VERSION}`,
  });
}
