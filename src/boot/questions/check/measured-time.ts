// boot/questions/check/measured-time.ts: how long did a part of the boot take, and is that number complete enough to judge?
import { everySpan, unitSpanId, unplacedSpans } from '../../model/all-spans.ts';
import { phases } from '../../model/phases.ts';
import type { BootRecord, Span, Unit } from '../../model/record.ts';
import { originUs } from '../../model/total.ts';

export interface MeasuredTime {
  us: number;
  detail?: string;
  /** The true value is at least `us`: enough to exceed a limit, not to meet one. */
  isLowerBound?: boolean;
}

export type CheckVerdict = 'ok' | 'exceeded' | 'unknown';

export function verdictOf({ us, isLowerBound }: MeasuredTime, limitUs: number): CheckVerdict {
  if (us > limitUs) return 'exceeded';
  return isLowerBound ? 'unknown' : 'ok';
}

/** A record that begins with userspace or with the first log line gives only a lower bound. */
export function sinceStart(record: BootRecord, atUs: number, detail?: string): MeasuredTime {
  const us = atUs - originUs(record);
  if (record.clock.zero === 'kernel') return { us, ...(detail !== undefined && { detail }) };
  // The first instant of a claim is known exactly.
  if (record.clock.zero === 'claim') return { us, detail: [detail, 'from the claim'].filter(Boolean).join(', ') };
  const from = record.clock.zero === 'userspace' ? 'userspace' : 'the first event';
  return { us, isLowerBound: true, detail: `counted from ${from}: the time before is unknown` };
}

export function measureUnit(unit: Unit, spans: ReadonlyMap<string, Span>): MeasuredTime {
  const span = spans.get(unitSpanId(unit.name));
  if (!span) {
    return {
      us: 0,
      isLowerBound: true,
      detail: unit.conditionFailed ? 'did not run: a condition failed' : 'did not run',
    };
  }
  const us = span.endUs - span.startUs;
  if (span.result === 'fail') return { us, isLowerBound: true, detail: 'failed: it never became active' };
  const isStarting = unit.activatedUs < unit.activatingUs && unit.deactivatedUs < unit.activatingUs;
  if (isStarting) return { us, isLowerBound: true, detail: 'was still starting when the boot was recorded' };
  return unit.serviceType === 'simple'
    ? { us, detail: 'Type=simple: active as soon as its process exists, even if it is not ready yet' }
    : { us };
}

/** All spans by id. A listing such as `systemd-analyze blame` has durations of units without a start. */
export function spansById(record: BootRecord): Map<string, Span> {
  return new Map([...everySpan(record), ...unplacedSpans(record)].map((span) => [span.id, span]));
}

/** Without the end of startup, the userspace phase is what was recorded of it. */
export function measurePhases(record: BootRecord): Map<string, MeasuredTime> {
  const isFinished = (record.manager?.finishUs ?? 0) > 0;
  return new Map(
    phases(record).map(({ name, startUs, endUs }): [string, MeasuredTime] => {
      const us = endUs - startUs;
      if (name !== 'userspace' || isFinished) return [name, { us }];
      return [name, { us, isLowerBound: true, detail: 'startup was not finished when the boot was recorded' }];
    }),
  );
}
