// boot/load/sources/platform/extension-event.ts: when did each task of an Azure VM extension run? Reads the event files that it writes for
// the agent. Does not copy messages, which may contain command lines; reads only the times of a JSON message.

import { type Anchor, type Evidence, evidence } from '../../../model/evidence.ts';
import type { Milestone, Note, Span } from '../../../model/record.ts';
import { headText, type Input } from '../../input.ts';
import { boundedText } from '../bounded-text.ts';
import { parseIsoStamp } from '../logs/log-stamp.ts';
import { Problems } from '../problems.ts';
import type { EvidenceSource } from '../source.ts';
import { uniqueId } from '../unique-id.ts';
import { bootPoints, provisionExitCode } from './provision-json.ts';

export const extensionEventSource = {
  kind: 'extension-event',
  title: 'Azure extension events',
  recognise,
  parse,
} satisfies EvidenceSource;

function recognise(input: Input): number {
  const head = headText(input).replaceAll('\0', ''); // UTF-16 without its mark
  if (!/^\s*[[{]/.test(head)) return 0;
  const found = ['TaskName', 'OperationId', 'EventLevel', 'Timestamp'].filter((key) =>
    new RegExp(`"${key}"`, 'i').test(head),
  );
  return found.includes('TaskName') && found.length >= 3 ? 0.95 : found.includes('TaskName') ? 0.5 : 0;
}

function parse(input: Input): Evidence[] {
  const problems = new Problems();
  const { text, isCut } = boundedText(input, MAX_BYTES);
  const collected: EventFacts = { spans: [], ids: new Map(), milestones: [], anchors: [], notes: [] };
  for (const { value, place } of valuesOf(text, problems)) {
    collect(value, place, input.name, collected, problems);
  }
  const { spans, milestones, anchors } = collected;
  setParents(spans);
  if (isCut)
    problems.add(`is the last one read: the input is larger than ${MAX_BYTES >> 20} MiB`, text.split('\n').length);
  if (spans.length === 0 && milestones.length === 0) return [];
  const notes = [...collected.notes, ...missingParents(spans, input.name), ...problems.notes(input.name, 'line')];
  return [
    evidence({
      kind: 'extension-event',
      input: input.name,
      clock: 'wall',
      host: { cloud: 'azure' },
      spans,
      milestones,
      anchors,
      notes,
    }),
  ];
}

/** The agent accepts files up to 4 MiB; this allows for many files concatenated. */
const MAX_BYTES = 128 << 20;

interface EventFacts {
  spans: Span[];
  ids: Map<string, number>;
  milestones: Milestone[];
  anchors: Anchor[];
  notes: Note[];
}

/** One object, an array of objects, or one object per line. */
function* valuesOf(text: string, problems: Problems): Generator<{ value: unknown; place: number }> {
  const whole = parseJson(text);
  if (whole !== undefined) {
    for (const value of Array.isArray(whole) ? whole : [whole]) yield { value, place: 1 };
    return;
  }
  let place = 0;
  for (const line of text.split('\n')) {
    place++;
    if (line.trim() === '') continue;
    const value = /^\s*[{[]/.test(line) ? parseJson(line) : undefined;
    if (value === undefined) problems.add('is not JSON', place);
    else yield { value, place };
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function collect(value: unknown, place: number, input: string, into: EventFacts, problems: Problems): void {
  const fields = foldKeys(value);
  const task = fields?.get('taskname');
  const startUs = parseIsoStamp(fields?.get('timestamp') ?? '');
  if (!fields || !task || startUs === undefined) {
    problems.add('is not an extension event (no task name, or no time)', place);
    return;
  }
  const endUs = parseIsoStamp(fields.get('operationid') ?? '');
  if (endUs !== undefined && endUs < startUs)
    problems.add('ends before it starts: the clock was set in between', place);
  const inner = innerFacts(task, fields, input);
  const result = inner.result ?? LEVELS[(fields.get('eventlevel') ?? '').toLowerCase()];
  const wait = waitReason(task);
  into.spans.push({
    id: uniqueId(`extension:${task}`, into.ids),
    name: task,
    source: 'extension',
    startUs,
    endUs: Math.max(startUs, endUs ?? startUs),
    ...(wait !== undefined && { wait }),
    ...(result && { result }),
    ...(inner.detail !== undefined && { detail: inner.detail }),
    ...(endUs === undefined && { detail: 'end unknown' }),
  });
  into.milestones.push(...inner.milestones);
  into.anchors.push(...inner.anchors);
  into.notes.push(...inner.notes);
}

const LEVELS: Readonly<Record<string, NonNullable<Span['result']>>> = {
  critical: 'fail',
  error: 'fail',
  warning: 'warn',
};

/** A task that only waits has `wait` in its name: `AKS.Runtime.waitForTLSBootstrapping`. */
function waitReason(task: string): string | undefined {
  const what = /\.wait(?:For|ing)?([A-Z]\w*)$/.exec(task)?.[1];
  return what === undefined ? undefined : `extension: waiting for ${what}`;
}

interface InnerFacts {
  result?: Span['result'];
  detail?: string;
  milestones: Milestone[];
  anchors: Anchor[];
  notes: Note[];
}

/** The summary event carries provision.json's fields as text. */
function innerFacts(task: string, fields: ReadonlyMap<string, string>, input: string): InnerFacts {
  const message = fields.get('message') ?? '';
  const inner = message.trimStart().startsWith('{') ? parseJson(message) : undefined;
  if (typeof inner !== 'object' || inner === null) return { milestones: [], anchors: [], notes: [] };
  const points = bootPoints(inner as Record<string, unknown>, input);
  const exitCode = provisionExitCode(inner as Record<string, unknown>);
  if (exitCode === undefined) return points;
  const reportsSuccess = LEVELS[(fields.get('eventlevel') ?? '').toLowerCase()] === undefined;
  if (exitCode !== 0 && reportsSuccess) {
    points.notes.push({
      level: 'warning',
      text: `${input}: ${task} reports success, but its script ended with exit code ${exitCode}`,
    });
  }
  return { ...points, result: exitCode === 0 ? 'ok' : 'fail', detail: `exit code ${exitCode}` };
}

/** Like the agent, accepts keys in any case and numbers as text; ignores values of other types. */
function foldKeys(value: unknown): Map<string, string> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const folded = new Map<string, string>();
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === 'string' || typeof member === 'number') folded.set(key.toLowerCase(), String(member));
  }
  return folded;
}

/** The parent of `AKS.CSE.ensureKubelet.getPrimaryNicIP` is `AKS.CSE.ensureKubelet`; its event may be in another file. */
function setParents(spans: readonly Span[]): void {
  for (const span of spans) {
    const parent = parentTask(span.name);
    if (parent !== undefined) span.parent = `extension:${parent}`;
  }
}

/** The first two parts name the product and the script, not a task. */
function parentTask(task: string): string | undefined {
  const parts = task.split('.');
  return parts.length > 3 ? parts.slice(0, -1).join('.') : undefined;
}

/** Event files are named by the millisecond, so one may overwrite another; and the agent deletes files it has sent. */
function missingParents(spans: readonly Span[], input: string): Note[] {
  if (spans.length < 2) return []; // a single file: the parent's event is normally in another one
  const known = new Set(spans.map((span) => span.name));
  const missing = new Set<string>();
  for (const { name } of spans) {
    const parent = parentTask(name);
    if (parent !== undefined && !known.has(parent)) missing.add(parent);
  }
  if (missing.size === 0) return [];
  const names = [...missing].slice(0, 5).join(', ');
  return [
    {
      level: 'info',
      text: `${input}: events are missing (overwritten within one millisecond, or sent and deleted): ${names}`,
    },
  ];
}
