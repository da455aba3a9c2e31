// boot/load/sources/platform/two-clocks.ts: how do times on the host's clock convert to the guest's clock?

/** The guest's clock was read as `guestMs` between two readings of the host's clock, when the guest's uptime was `uptimeMs`. */
export interface ClockComparison {
  guestMs: number;
  hostBeforeMs: number;
  hostAfterMs: number;
  uptimeMs?: number;
}

export interface GuestClock {
  onGuestMs(hostMs: number): number;
  /** The converted time is exact to ± this, wherever in the interval the guest's clock was read. */
  errorUs: number;
  /** When the guest's kernel started, on the guest's clock, ± `errorUs`. */
  kernelStartMs?: number;
}

/** Undefined if the host's clock was set back between its two readings. */
export function guestClockFrom({
  guestMs,
  hostBeforeMs,
  hostAfterMs,
  uptimeMs,
}: ClockComparison): GuestClock | undefined {
  if (hostAfterMs < hostBeforeMs) return undefined;
  const halfMs = (hostAfterMs - hostBeforeMs) / 2;
  const aheadMs = guestMs - (hostBeforeMs + halfMs);
  return {
    onGuestMs: (hostMs) => hostMs + aheadMs,
    errorUs: Math.round(halfMs * 1000) + 1000, // both clocks are read in whole milliseconds
    ...(uptimeMs !== undefined && { kernelStartMs: guestMs - uptimeMs }),
  };
}

/** Undefined unless every field is valid. */
export function parseClockComparison(value: unknown): ClockComparison | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { guestMs, hostBeforeMs, hostAfterMs, uptimeMs } = value as Record<string, unknown>;
  if (!isTimeMs(guestMs) || !isTimeMs(hostBeforeMs) || !isTimeMs(hostAfterMs)) return undefined;
  if (uptimeMs !== undefined && !isTimeMs(uptimeMs)) return undefined;
  return { guestMs, hostBeforeMs, hostAfterMs, ...(uptimeMs !== undefined && { uptimeMs }) };
}

/** A plausible wall-clock time or uptime; much larger numbers would lose precision. */
export function isTimeMs(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < 1e13;
}
