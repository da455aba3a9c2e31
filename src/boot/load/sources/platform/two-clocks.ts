// boot/load/sources/platform/two-clocks.ts: when the clock of the machine that runs a VM showed this, what did the clock of its guest show?

/** The guest's clock showed `guestMs` at some moment between the two readings of the host's, and had then been up for `uptimeMs`. */
export interface ClockComparison {
  guestMs: number;
  hostBeforeMs: number;
  hostAfterMs: number;
  uptimeMs?: number;
}

export interface GuestClock {
  onGuestMs(hostMs: number): number;
  /** Wherever in the interval the guest's clock was read, the truth lies within ± this. */
  errorUs: number;
  /** When the guest's kernel started, on the guest's clock, give or take `errorUs`. */
  kernelStartMs?: number;
}

/** Undefined when the host's clock was set back between its two readings. */
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

/** Undefined unless every field is what it has to be. */
export function parseClockComparison(value: unknown): ClockComparison | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { guestMs, hostBeforeMs, hostAfterMs, uptimeMs } = value as Record<string, unknown>;
  if (!isTimeMs(guestMs) || !isTimeMs(hostBeforeMs) || !isTimeMs(hostAfterMs)) return undefined;
  if (uptimeMs !== undefined && !isTimeMs(uptimeMs)) return undefined;
  return { guestMs, hostBeforeMs, hostAfterMs, ...(uptimeMs !== undefined && { uptimeMs }) };
}

/** Milliseconds that a wall clock could show, or an uptime be: far from where numbers lose their last digits. */
export function isTimeMs(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < 1e13;
}
