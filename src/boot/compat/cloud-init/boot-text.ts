// boot/compat/cloud-init/boot-text.ts: prints the four instants of a boot.
import type { BootInstant, CloudInitBootTimes, UnknownInstant } from './boot-times.ts';
import { utcText } from './utc-text.ts';

export function bootTimesText(times: CloudInitBootTimes): string {
  const { kernelStart, kernelEnd, activated, started } = times;
  const isContainer = times.host === 'container';
  const lines = isContainer
    ? ['-- Most Recent Container Boot Record --', `Container started at: ${instant(kernelStart)}`]
    : [
        '-- Most Recent Boot Record --',
        `Kernel Started at: ${instant(kernelStart)}`,
        `Kernel ended boot at: ${instant(kernelEnd)}`,
        `Kernel time to boot (seconds): ${between(kernelStart, kernelEnd)}`,
      ];
  lines.push(`Cloud-init activated by systemd at: ${instant(activated)}`);
  if (!isContainer) {
    lines.push(`Time between Kernel end boot and Cloud-init activation (seconds): ${between(kernelEnd, activated)}`);
  }
  lines.push(`Cloud-init start: ${instant(started)}`);
  lines.push(`Time between Cloud-init activation and Cloud-init start (seconds): ${between(activated, started)}`);
  return `${lines.join('\n    ')}\n`;
}

function instant(at: BootInstant | UnknownInstant): string {
  if ('unknown' in at) return `unknown (${at.unknown})`;
  const error = at.errorUs ? ` (within ${seconds(Math.max(at.errorUs, 1000), 3)} s)` : '';
  return `${utcText(at.atUs)}${error}`;
}

/** Uses the monotonic clock if both instants have it: a difference of wall times would include their error. */
export function betweenUs(from: BootInstant | UnknownInstant, to: BootInstant | UnknownInstant): number | undefined {
  if ('unknown' in from || 'unknown' in to) return undefined;
  if (from.monotonicUs !== undefined && to.monotonicUs !== undefined) return to.monotonicUs - from.monotonicUs;
  return to.atUs - from.atUs;
}

function between(from: BootInstant | UnknownInstant, to: BootInstant | UnknownInstant): string {
  const us = betweenUs(from, to);
  if (us === undefined) return 'unknown';
  const isExact = 'monotonicUs' in from && 'monotonicUs' in to;
  return seconds(us, isExact ? 6 : 3);
}

function seconds(us: number, decimals: number): string {
  return (us / 1e6).toFixed(decimals);
}
