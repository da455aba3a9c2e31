// boot/model/causes/failures.ts: why did a unit or its start job fail, in words?
import { formatSpan } from '../../../base/duration.ts';
import { type BootRecord, type Span, startTookUs, type Unit } from '../record.ts';

/** systemd's results of units and jobs; others are printed as they are. */
const WORDS: Readonly<Record<string, string>> = {
  dependency: 'a dependency failed',
  'exit-code': 'exit code',
  signal: 'killed by a signal',
  'core-dump': 'crashed',
  watchdog: 'watchdog timeout',
  'start-limit-hit': 'restarted too often',
  'oom-kill': 'out of memory',
  protocol: 'did not report that it was ready',
  resources: 'lack of resources',
};

/** Undefined if the unit did not fail. A condition that is not met skips a unit, which is no failure. */
export function failureOf(unit: Unit): string | undefined {
  const { result } = unit;
  if (result === 'exec-condition') return undefined;
  if (unit.activeState !== 'failed' && (result === undefined || result === 'success')) return undefined;
  // Later than its start: a service that ran, then crashed or did not stop in time.
  if (unit.activatedUs >= unit.activatingUs && unit.activatedUs > 0)
    return `after it had started${result === undefined ? '' : ` (${result === 'timeout' ? 'timed out' : inWords(result)})`}`;
  return failureText(result, startTookUs(unit));
}

/** `tookUs`: how long the start or its job took; 0 if unknown. */
export function failureText(result: string | undefined, tookUs: number): string {
  if (result === 'timeout') return tookUs > 0 ? `timed out after ${formatSpan(tookUs)}` : 'timed out';
  return result === undefined || result === 'failed' ? 'did not start' : inWords(result);
}

function inWords(result: string): string {
  return WORDS[result] ?? result;
}

/** Failed jobs of units that never started, by unit: what waited for the unit waited until the job failed. */
export function failedJobs({ spans }: Pick<BootRecord, 'spans'>): Map<string, Span> {
  const found = new Map<string, Span>();
  for (const span of spans) {
    if (span.source === 'systemd' && span.result === 'fail' && span.unit !== undefined && !found.has(span.unit))
      found.set(span.unit, span);
  }
  return found;
}
