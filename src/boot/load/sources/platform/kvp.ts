// boot/load/sources/platform/kvp.ts: what did cloud-init report about each boot to the Hyper-V host through the key-value pool?
// Does not copy diagnostic messages: they may contain secrets.
import { inflateSync } from 'node:zlib';
import { type Anchor, type Evidence, evidence } from '../../../model/evidence.ts';
import type { Milestone, Note, Span } from '../../../model/record.ts';
import type { Input } from '../../input.ts';
import { parseIsoStamp } from '../logs/log-stamp.ts';
import { Problems } from '../problems.ts';
import type { EvidenceSource } from '../source.ts';
import { uniqueId } from '../unique-id.ts';
import { type KvpEvent, kvpEvents, RECORD_BYTES } from './kvp-records.ts';

export const kvpSource = { kind: 'kvp', title: 'Hyper-V key-value pool', recognise, parse } satisfies EvidenceSource;

function recognise({ head }: Input): number {
  // Keys are NUL-padded, and records have a fixed size.
  const text = (at: number) => Buffer.from(head.subarray(at, at + 11)).toString('latin1');
  if (text(0) === 'CLOUD_INIT|' && (head.length < 512 || head[511] === 0)) return 0.97;
  for (let at = RECORD_BYTES; at + 11 <= head.length; at += RECORD_BYTES) if (text(at) === 'CLOUD_INIT|') return 0.9;
  return 0;
}

function parse(input: Input): Evidence[] {
  const problems = new Problems();
  const boots = bootsOf(kvpEvents(input.chunks(), problems));
  const found = boots.map((events) => bootEvidence(events, input.name, problems));
  const earlier = boots.length - 1;
  if (earlier > 0) {
    const text = `${input.name}: the pool still holds records of ${earlier} earlier boot${earlier === 1 ? '' : 's'}`;
    found.at(-1)!.notes.push({ level: 'info', text });
  }
  const notes = problems.notes(input.name, 'record');
  return found.map((boot) => ({ ...boot, notes: [...boot.notes, ...notes] }));
}

/** Every stage recomputes the incarnation and truncates it to a second, so one boot may have values this far apart. */
const SAME_BOOT_S = 2;

function bootsOf(events: readonly KvpEvent[]): KvpEvent[][] {
  const boots: KvpEvent[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const event of events.toSorted((a, b) => a.incarnation - b.incarnation || a.place - b.place)) {
    if (event.incarnation - last > SAME_BOOT_S) boots.push([]);
    last = event.incarnation;
    boots.at(-1)!.push(event);
  }
  return boots;
}

function bootEvidence(events: KvpEvent[], input: string, problems: Problems): Evidence {
  const inOrder = events.toSorted((a, b) => a.place - b.place);
  const milestones: Milestone[] = [];
  const notes: Note[] = [];
  const telemetry = inOrder.find((event) => event.type === 'boot-telemetry');
  if (telemetry) milestones.push(...telemetryMilestones(telemetry));
  const { spans, unfinished } = spansOf(inOrder, problems);
  if (unfinished.length > 0) {
    notes.push({
      level: 'info',
      text: `${input}: started but did not finish: ${unfinished.slice(0, 5).join(', ')}`,
    });
  }
  milestones.push(...stageMilestones(spans));
  for (const event of inOrder) if (event.type === 'compressed') notes.push(compressedNote(event, input));
  const vmId = inOrder.find((event) => event.vmId !== undefined)?.vmId;
  return evidence({
    kind: 'kvp',
    input,
    clock: 'wall',
    anchors: [anchorOf(inOrder[0]!, milestones)],
    host: { cloud: 'azure', ...(vmId !== undefined && { vmId: vmId.toLowerCase() }) },
    spans,
    milestones,
    notes,
  });
}

/** cloud-init subtracts an uptime truncated to 10 ms, so the kernel started up to that much earlier. */
const UPTIME_ERROR_US = 10_000;

function anchorOf(event: KvpEvent, milestones: readonly Milestone[]): Anchor {
  const kernelStart = milestones.find((milestone) => milestone.name === 'kernel-start');
  if (kernelStart) return { monotonicUs: 0, wallUs: kernelStart.atUs - UPTIME_ERROR_US, errorUs: UPTIME_ERROR_US };
  return { monotonicUs: 0, wallUs: event.incarnation * 1e6, errorUs: 1e6 };
}

const TELEMETRY = {
  kernel_start: ['kernel-start', 'kernel'],
  user_start: ['userspace', 'systemd'],
  cloudinit_activation: ['cloud-init-activated', 'cloud-init'],
} as const satisfies Record<string, readonly [Milestone['name'], Milestone['source']]>;

function telemetryMilestones({ message }: KvpEvent): Milestone[] {
  const found: Milestone[] = [];
  for (const [key, [name, source]] of Object.entries(TELEMETRY)) {
    const stamp = new RegExp(`\\b${key}=(\\S+)`).exec(message)?.[1];
    const atUs = stamp === undefined ? undefined : parseIsoStamp(stamp);
    if (atUs !== undefined) found.push({ name, atUs, source, errorUs: UPTIME_ERROR_US });
  }
  return found;
}

function spansOf(events: readonly KvpEvent[], problems: Problems): { spans: Span[]; unfinished: string[] } {
  const begun = new Map<string, number>();
  const spans = new Map<string, Span>();
  const taken = new Map<string, number>();
  for (const event of events) {
    if (event.type !== 'start' && event.type !== 'finish') continue;
    const atUs = event.stamp === undefined ? undefined : parseIsoStamp(event.stamp);
    if (atUs === undefined) {
      problems.add('has no readable time', event.place);
      continue;
    }
    if (event.type === 'start') {
      begun.set(event.name, atUs);
      continue;
    }
    const tookUs = event.durationS === undefined ? undefined : Math.round(event.durationS * 1e6);
    const startUs = begun.get(event.name) ?? (tookUs === undefined ? atUs : atUs - tookUs);
    begun.delete(event.name);
    const result = RESULTS[event.result ?? ''];
    const id = uniqueId(`cloud-init:${event.name}`, taken);
    // The duration comes from the monotonic clock, the stamps from the wall clock.
    const endUs = tookUs === undefined ? Math.max(startUs, atUs) : startUs + tookUs;
    spans.set(id, { id, name: event.name, source: 'cloud-init', startUs, endUs, ...(result && { result }) });
  }
  for (const span of spans.values()) {
    const parent = `cloud-init:${span.name.slice(0, span.name.lastIndexOf('/'))}`;
    if (span.name.includes('/') && spans.has(parent)) span.parent = parent;
  }
  const inOrder = [...spans.values()].sort((a, b) => a.startUs - b.startUs || b.endUs - a.endUs);
  return { spans: inOrder, unfinished: [...begun.keys()] };
}

const RESULTS: Readonly<Record<string, NonNullable<Span['result']>>> = { SUCCESS: 'ok', WARN: 'warn', FAIL: 'fail' };

function stageMilestones(spans: readonly Span[]): Milestone[] {
  const found: Milestone[] = [];
  const first = spans.find((span) => span.name === 'init-local');
  if (first)
    found.push({ name: 'cloud-init-started', atUs: first.startUs, source: 'cloud-init', errorUs: UPTIME_ERROR_US });
  const last = spans.find((span) => span.name === 'modules-final');
  if (last)
    found.push({ name: 'cloud-init-finished', atUs: last.endUs, source: 'cloud-init', errorUs: UPTIME_ERROR_US });
  return found;
}

const MAX_INFLATED_BYTES = 16 << 20;

function compressedNote(event: KvpEvent, input: string): Note {
  const what = `${input}: record ${event.place} contains a compressed copy of ${event.name}`;
  try {
    const { data } = JSON.parse(event.message) as { data?: unknown };
    const size = inflateSync(Buffer.from(String(data), 'base64'), { maxOutputLength: MAX_INFLATED_BYTES }).length;
    return { level: 'info', text: `${what} (${size} bytes); pass that file as an input to include it` };
  } catch {
    return { level: 'warning', text: `${what} that cannot be unpacked` };
  }
}
