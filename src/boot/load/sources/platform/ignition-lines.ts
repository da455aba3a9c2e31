// boot/load/sources/platform/ignition-lines.ts: which stages did Ignition run, and what took long in them? Ignition configures Fedora
// CoreOS and Flatcar in the initrd: one process per stage.
import type { Note, Span } from '../../../model/record.ts';

export type IgnitionEvent =
  | { step: 'process' }
  | { step: 'stage'; stage: string }
  | { step: 'passed'; stage: string }
  | { step: 'finished' }
  | { step: 'failed'; reason: string }
  | { step: 'op'; state: 'started' | 'finished' | 'failed'; op: string; what: string }
  | { step: 'request'; host: string }
  | { step: 'answer' };

export type TimedIgnitionEvent = IgnitionEvent & { atUs: number; pid?: string };

const LEVEL = /^(?:DEBUG|INFO|NOTICE|WARNING|ERR|CRITICAL|ALERT|EMERG) *: /;
const OP = /^(.{0,200}?op\(\w+\)): \[(started|finished|failed)\] {1,2}(.{1,200})/;
const REQUEST = /(?:^|: )(?:GET|PUT) [a-z0-9+]{2,10}:\/\/(?:[^/@\s]{0,200}@)?([^/?\s"]{1,253})\S{0,4000}: attempt #\d/;

/** Undefined for the many lines that do not matter here. */
export function parseIgnitionLine(text: string): IgnitionEvent | undefined {
  const message = text.slice(0, 6000).replace(LEVEL, '');
  if (/^Ignition v?\d/.test(message)) return { step: 'process' };
  const stage = /^Stage: ([\w-]{1,40})$/.exec(message)?.[1];
  if (stage !== undefined) return { step: 'stage', stage };
  const passed = /^([\w-]{1,40}): \1 passed$/.exec(message)?.[1];
  if (passed !== undefined) return { step: 'passed', stage: passed };
  if (message === 'Ignition finished successfully') return { step: 'finished' };
  if (message.startsWith('Ignition failed: ')) return { step: 'failed', reason: message.slice(17, 217) };
  const op = OP.exec(message);
  if (op) return { step: 'op', state: op[2] as 'started', op: op[1]!, what: op[3]! };
  const host = REQUEST.exec(message)?.[1];
  if (host !== undefined) return { step: 'request', host }; // only the host: the address may contain a token
  return /(?:^|: )(?:GET|PUT) result: OK$/.test(message) ? { step: 'answer' } : undefined;
}

/** Shorter operations say nothing about where the time went: a stage has hundreds. */
const LONG_US = 100_000;
const MOST_PARTS = 100;

interface Process {
  stage?: string;
  startUs: number;
  endUs?: number;
  hasFailed?: boolean;
  ops: Map<string, { atUs: number; what: string }>;
  request?: { atUs: number; host: string };
  parts: Omit<Span, 'id' | 'parent' | 'source'>[];
}

export function ignitionFacts(events: readonly TimedIgnitionEvent[]): { spans: Span[]; notes: Note[] } {
  const processes: Process[] = [];
  const running = new Map<string, Process>();
  const notes: Note[] = [];
  for (const event of events.toSorted((a, b) => a.atUs - b.atUs)) {
    const pid = event.pid ?? '';
    let process = running.get(pid);
    const isNew = event.step === 'process' || (event.step === 'stage' && process?.stage !== undefined);
    if (!process || isNew) {
      process = { startUs: event.atUs, ops: new Map(), parts: [] };
      running.set(pid, process);
      processes.push(process);
    }
    take(process, event);
    if (event.step === 'failed') notes.push({ level: 'warning', text: `Ignition failed: ${event.reason}` });
  }
  return { spans: processes.flatMap(spansOf), notes };
}

function take(process: Process, event: TimedIgnitionEvent): void {
  const { atUs } = event;
  switch (event.step) {
    case 'stage':
      process.stage = event.stage;
      return;
    case 'passed':
      process.stage ??= event.stage;
      process.endUs = atUs;
      return;
    case 'finished':
    case 'failed':
      process.endUs = atUs;
      if (event.step === 'failed') process.hasFailed = true;
      return;
    case 'op':
      takeOp(process, event);
      return;
    case 'request':
      process.request ??= { atUs, host: event.host };
      return;
    case 'answer':
      if (!process.request) return;
      addPart(process, {
        name: `request to ${process.request.host}`,
        startUs: process.request.atUs,
        endUs: atUs,
        wait: `server: until ${process.request.host} answers`,
      });
      delete process.request;
  }
}

function takeOp(process: Process, { op, state, what, atUs }: TimedIgnitionEvent & { step: 'op' }): void {
  if (state === 'started') {
    process.ops.set(op, { atUs, what });
    return;
  }
  const began = process.ops.get(op);
  if (!began) return;
  process.ops.delete(op);
  addPart(process, {
    name: began.what,
    startUs: began.atUs,
    endUs: atUs,
    ...(state === 'failed' && { result: 'fail' }),
  });
}

function addPart(process: Process, part: Process['parts'][number]): void {
  if (part.endUs - part.startUs >= LONG_US && process.parts.length < MOST_PARTS) process.parts.push(part);
}

/** A process without an end was cut off: its duration is unknown. */
function spansOf({ stage, startUs, endUs, hasFailed, parts }: Process): Span[] {
  if (stage === undefined || endUs === undefined) return [];
  const id = `ignition:${stage}`;
  const common = { source: 'initrd' as const, unit: `ignition-${stage}.service` };
  return [
    { id, name: `ignition ${stage}`, ...common, startUs, endUs, ...(hasFailed && { result: 'fail' as const }) },
    ...parts.map((part, at): Span => ({ ...part, ...common, id: `${id}/${at + 1}`, parent: id })),
  ];
}
