// boot/export/chrome-trace.ts: a boot in the trace format that Perfetto and chrome://tracing open.
import { everySpan } from '../model/all-spans.ts';
import { milestonesOf } from '../model/milestones.ts';
import { phases } from '../model/phases.ts';
import type { BootRecord, Span } from '../model/record.ts';
import { assignLanes } from './lanes.ts';

export interface ChromeTrace {
  displayTimeUnit: 'ms';
  otherData: Record<string, string>;
  traceEvents: TraceEvent[];
}

export interface TraceEvent {
  ph: 'M' | 'X' | 'i';
  name: string;
  pid: number;
  tid: number;
  ts?: number;
  dur?: number;
  cat?: string;
  s?: 'g';
  args?: Record<string, string | number>;
}

/** Process 1 has the phases and milestones of the boot. Each source is another process, in order of appearance. */
export function chromeTrace(record: BootRecord): ChromeTrace {
  const spans = everySpan(record);
  const boot = phases(record).map((phase): Span => ({ ...phase, id: `phase:${phase.name}`, source: 'platform' }));
  const milestones = milestonesOf(record);
  let firstUs = 0; // viewers do not accept negative times (firmware, VM creation)
  for (const { startUs } of [...spans, ...boot]) firstUs = Math.min(firstUs, startUs);
  for (const { atUs } of milestones) firstUs = Math.min(firstUs, atUs);

  const traceEvents: TraceEvent[] = [];
  const addProcess = (name: string, ofProcess: readonly Span[], pid: number) => {
    traceEvents.push(...nameProcess(pid, name));
    const placed = assignLanes(ofProcess);
    for (const lane of new Set(placed.map((one) => one.lane)))
      traceEvents.push(nameThread(pid, lane + 1, `${name} ${lane + 1}`));
    for (const { span, lane } of placed) traceEvents.push(spanEvent(span, { pid, tid: lane + 1, firstUs }));
  };
  addProcess('boot', boot, 1);
  for (const { name, atUs, source, detail } of milestones) {
    const args = { source, ...(detail !== undefined && { detail }) };
    traceEvents.push({ ph: 'i', name, pid: 1, tid: 1, ts: atUs - firstUs, s: 'g', cat: 'milestone', args });
  }
  let pid = 2;
  for (const [source, ofSource] of Map.groupBy(spans, (span) => span.source)) addProcess(source, ofSource, pid++);
  return { displayTimeUnit: 'ms', otherData: factsOf(record, firstUs), traceEvents };
}

function nameProcess(pid: number, name: string): TraceEvent[] {
  return [
    { ph: 'M', name: 'process_name', pid, tid: 0, args: { name } },
    { ph: 'M', name: 'process_sort_index', pid, tid: 0, args: { sort_index: pid } },
  ];
}

function nameThread(pid: number, tid: number, name: string): TraceEvent {
  return { ph: 'M', name: 'thread_name', pid, tid, args: { name } };
}

function spanEvent(span: Span, { pid, tid, firstUs }: { pid: number; tid: number; firstUs: number }): TraceEvent {
  const args: Record<string, string> = { id: span.id };
  for (const key of ['unit', 'wait', 'result', 'detail'] as const) if (span[key] !== undefined) args[key] = span[key];
  const cat = span.wait === undefined ? span.source : `${span.source},wait`;
  return {
    ph: 'X',
    name: span.name,
    pid,
    tid,
    ts: span.startUs - firstUs,
    dur: Math.max(0, span.endUs - span.startUs),
    cat,
    args,
  };
}

function factsOf({ bootId, host, clock }: BootRecord, firstUs: number): Record<string, string> {
  const startedAt = clock.wallAtZeroUs === undefined ? undefined : new Date((clock.wallAtZeroUs + firstUs) / 1000);
  return {
    ...(bootId !== undefined && { bootId }),
    ...(host.hostname !== undefined && { hostname: host.hostname }),
    ...(startedAt && !Number.isNaN(startedAt.getTime()) && { startedAt: startedAt.toISOString() }),
    clockZero: clock.zero,
    zeroAtUs: String(0 - firstUs),
  };
}
