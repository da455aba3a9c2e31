// boot/export/chrome-trace.ts: a boot in the trace format that Perfetto and chrome://tracing open.
import { everySpan } from '../model/all-spans.ts';
import { milestonesOf } from '../model/milestones.ts';
import { phases } from '../model/phases.ts';
import type { BootRecord, Span } from '../model/record.ts';
import { type BootPath, pathSegments } from '../questions/path/path-segments.ts';
import { assignLanes } from './lanes.ts';

export interface ChromeTrace {
  displayTimeUnit: 'ms';
  otherData: Record<string, string>;
  traceEvents: TraceEvent[];
}

export interface TraceEvent {
  /** M: name of a process or thread · X: span · i: instant · s and f: start and end of an arrow. */
  ph: 'M' | 'X' | 'i' | 's' | 'f';
  name: string;
  pid: number;
  tid: number;
  ts?: number;
  dur?: number;
  cat?: string;
  s?: 'g';
  id?: number;
  bp?: 'e';
  args?: Record<string, string | number>;
}

/**
 * Process 1 has the phases and milestones of the boot, and the critical path as a track of work, waits and gaps that add up to the
 * total. Each source is another process, in order of appearance. Spans on the path have `critical` in their category and arguments,
 * and arrows connect them.
 */
export function chromeTrace(record: BootRecord): ChromeTrace {
  const spans = everySpan(record);
  const boot = phases(record).map((phase): Span => ({ ...phase, id: `phase:${phase.name}`, source: 'platform' }));
  const milestones = milestonesOf(record);
  let firstUs = 0; // viewers do not accept negative times (firmware, VM creation)
  for (const { startUs } of [...spans, ...boot]) firstUs = Math.min(firstUs, startUs);
  for (const { atUs } of milestones) firstUs = Math.min(firstUs, atUs);

  const path = pathSegments(record);
  for (const { startUs } of path.segments) firstUs = Math.min(firstUs, startUs);
  const onPath = new Set([...path.links, ...path.segments].map(({ id }) => id));

  const traceEvents: TraceEvent[] = [];
  const slices = new Map<string, TraceEvent>();
  const addProcess = (name: string, ofProcess: readonly Span[], pid: number) => {
    traceEvents.push(...nameProcess(pid, name));
    const placed = assignLanes(ofProcess);
    for (const lane of new Set(placed.map((one) => one.lane)))
      traceEvents.push(nameThread(pid, lane + 1, `${name} ${lane + 1}`));
    for (const { span, lane } of placed) {
      const event = spanEvent(span, { pid, tid: lane + 1, firstUs, isCritical: onPath.has(span.id) });
      slices.set(span.id, event);
      traceEvents.push(event);
    }
  };
  addProcess('boot', boot, 1);
  traceEvents.push(...pathTrack(path, firstUs));
  for (const { name, atUs, source, detail } of milestones) {
    const args = { source, ...(detail !== undefined && { detail }) };
    traceEvents.push({ ph: 'i', name, pid: 1, tid: 1, ts: atUs - firstUs, s: 'g', cat: 'milestone', args });
  }
  let pid = 2;
  for (const [source, ofSource] of Map.groupBy(spans, (span) => span.source)) addProcess(source, ofSource, pid++);
  traceEvents.push(...arrowsOf(path, slices));
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

interface EventPlace {
  pid: number;
  tid: number;
  firstUs: number;
  isCritical: boolean;
}

function spanEvent(span: Span, { pid, tid, firstUs, isCritical }: EventPlace): TraceEvent {
  const args: Record<string, string> = { id: span.id };
  for (const key of ['unit', 'wait', 'result', 'detail'] as const) if (span[key] !== undefined) args[key] = span[key];
  if (isCritical) args.critical = 'yes';
  const cat = [span.source, ...(span.wait === undefined ? [] : ['wait']), ...(isCritical ? ['critical'] : [])].join(
    ',',
  );
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

/** Above all lanes of process 1, which count from 1. */
const PATH_TID = 1_000_000;

function pathTrack({ segments, endsAt }: BootPath, firstUs: number): TraceEvent[] {
  if (segments.length === 0) return [];
  return [
    nameThread(1, PATH_TID, `critical path to ${endsAt}`),
    { ph: 'M', name: 'thread_sort_index', pid: 1, tid: PATH_TID, args: { sort_index: -1 } },
    ...segments.map(({ id, name, kind, wait, startUs, endUs }): TraceEvent => {
      const args = { kind, ...(id !== undefined && { id }), ...(wait !== undefined && { wait }) };
      const [ts, dur] = [startUs - firstUs, endUs - startUs];
      return { ph: 'X', name, pid: 1, tid: PATH_TID, ts, dur, cat: `critical,${kind}`, args };
    }),
  ];
}

/** From the end of each span on the path to the start of the next. A viewer finds the spans by the time of the arrow's ends. */
function arrowsOf({ links }: BootPath, slices: ReadonlyMap<string, TraceEvent>): TraceEvent[] {
  const stops = links.map(({ id }) => slices.get(id)).filter((event) => event !== undefined && event.dur! > 0);
  return stops.slice(1).flatMap((to, i): TraceEvent[] => {
    const from = stops[i]!;
    // Inside both spans: at its very end a span is already closed.
    const [fromTs, toTs] = [from.ts! + from.dur! - 1, to!.ts!];
    if (fromTs > toTs) return [];
    const arrow = { name: 'critical path', cat: 'critical', id: i + 1 };
    return [
      { ph: 's', ...arrow, pid: from.pid, tid: from.tid, ts: fromTs },
      { ph: 'f', bp: 'e', ...arrow, pid: to!.pid, tid: to!.tid, ts: toTs },
    ];
  });
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
