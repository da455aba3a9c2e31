// boot/load/sources/platform/nodeadm-lines.ts: what did nodeadm do, and when? nodeadm makes an Amazon Linux 2023 machine a node of EKS.
// It logs JSON: `{"level":"info","ts":1712221037.59,"caller":"init/init.go:49","msg":"Loading configuration.."}`.
import type { Note, Span } from '../../../model/record.ts';

export interface NodeadmEvent {
  message: string;
  /** Of the aspect or daemon that the line is about. */
  name?: string;
  isFailure?: boolean;
  error?: string;
  /** µs since 1970. */
  wallUs?: number;
}

export type TimedNodeadmEvent = NodeadmEvent & { atUs: number; pid?: string };

/** Undefined for lines that do not matter here, such as those of the AWS SDK. */
export function parseNodeadmLine(line: string): NodeadmEvent | undefined {
  const fields = jsonOf(line);
  const message = fields ? fields.msg : line;
  if (typeof message !== 'string') return undefined;
  const plain = message.replace(/\.+$/, '');
  const isFailure = fields?.level === 'error' || fields?.level === 'fatal';
  if (!isFailure && !KNOWN.has(plain)) return undefined;
  const { name, ts, error } = fields ?? {};
  return {
    message: plain.slice(0, 200),
    ...(typeof name === 'string' && { name: name.slice(0, 100) }),
    ...(isFailure && { isFailure }),
    ...(typeof error === 'string' && { error: error.slice(0, 200) }),
    ...(typeof ts === 'number' && ts > 0 && ts < 1e11 && { wallUs: Math.round(ts * 1e6) }),
  };
}

const MAX_LINE = 1 << 20;

function jsonOf(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{"') || line.length > MAX_LINE) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : undefined;
  } catch {
    // journalctl cuts long lines on a terminal.
    const msg = /"msg":"([^"\\]{1,200})"/.exec(line.slice(0, 1000))?.[1];
    const ts = /"ts":(\d{9,10}(?:\.\d{1,9})?)/.exec(line.slice(0, 1000))?.[1];
    return msg === undefined ? undefined : { msg, ...(ts !== undefined && { ts: Number(ts) }) };
  }
}

interface Step {
  begin: string;
  end: string;
  title: string;
  wait?: string;
}

const STEPS: readonly Step[] = [
  { begin: 'Loading configuration', end: 'Loaded configuration', title: 'load configuration' },
  {
    begin: 'Fetching instance details',
    end: 'Instance details populated',
    title: 'fetch instance details',
    wait: 'EC2: until its API describes the instance',
  },
  { begin: 'Fetching default options', end: 'Default options populated', title: 'fetch default options' },
  { begin: 'Setting up system aspect', end: 'Finished setting up system aspect', title: 'set up' },
  { begin: 'Configuring daemon', end: 'Configured daemon', title: 'configure' },
  { begin: 'Ensuring daemon is running', end: 'Daemon is running', title: 'start' },
  { begin: 'Running post-launch tasks', end: 'Finished post-launch tasks', title: 'post-launch tasks of' },
];
const FIRST = 'Checking user is root';
const KNOWN: ReadonlySet<string> = new Set([FIRST, ...STEPS.flatMap(({ begin, end }) => [begin, end])]);

/** One process for the configuration, before cloud-init's scripts, and one that starts the daemons. */
export function nodeadmFacts(events: readonly TimedNodeadmEvent[]): { spans: Span[]; notes: Note[] } {
  const spans: Span[] = [];
  const notes: Note[] = [];
  for (const run of runsOf(events.toSorted((a, b) => a.atUs - b.atUs))) {
    spans.push(...stepsOf(run, unitOf(run)));
    for (const { message, error } of run.filter(({ isFailure }) => isFailure)) {
      notes.push({ level: 'warning', text: `nodeadm failed: ${message}${error === undefined ? '' : `: ${error}`}` });
    }
  }
  return { spans, notes };
}

function runsOf(events: readonly TimedNodeadmEvent[]): TimedNodeadmEvent[][] {
  const runs = new Map<string, TimedNodeadmEvent[]>();
  const all: TimedNodeadmEvent[][] = [];
  for (const event of events) {
    const pid = event.pid ?? '';
    let run = runs.get(pid);
    if (!run || event.message === FIRST) {
      run = [];
      runs.set(pid, run);
      all.push(run);
    }
    run.push(event);
  }
  return all;
}

function unitOf(run: readonly TimedNodeadmEvent[]): string | undefined {
  const configures = run.some(({ message }) => message === 'Configuring daemon');
  const starts = run.some(({ message }) => message === 'Ensuring daemon is running');
  if (configures === starts) return undefined; // started by a script
  return configures ? 'nodeadm-config.service' : 'nodeadm-run.service';
}

/** A step without an end is left out: its duration is unknown. */
function stepsOf(run: readonly TimedNodeadmEvent[], unit: string | undefined): Span[] {
  const spans: Span[] = [];
  const open = new Map<string, number>();
  for (const { message, name = '', atUs } of run) {
    const began = STEPS.find(({ begin }) => begin === message);
    if (began) open.set(`${began.begin} ${name}`, atUs);
    const ended = STEPS.find(({ end }) => end === message);
    const startUs = ended && open.get(`${ended.begin} ${name}`);
    if (!ended || startUs === undefined) continue;
    open.delete(`${ended.begin} ${name}`);
    const title = name === '' ? ended.title : `${ended.title} ${name}`;
    spans.push({
      id: `nodeadm:${title.replaceAll(' ', '-')}`,
      name: `nodeadm: ${title}`,
      source: 'node-config',
      ...(unit !== undefined && { unit }),
      startUs,
      endUs: Math.max(startUs, atUs),
      ...(ended.wait !== undefined && { wait: ended.wait }),
    });
  }
  return spans;
}
