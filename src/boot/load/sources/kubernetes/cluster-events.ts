// boot/load/sources/kubernetes/cluster-events.ts: when did this node request its certificate, register, become Ready and run its first pod, according to
// the API server? A watch on the VM's host recorded the events, on the host's clock.

import { type Evidence, evidence } from '../../../model/evidence.ts';
import type { Milestone, Note, Span } from '../../../model/record.ts';
import { headText, type Input } from '../../input.ts';
import { boundedText } from '../bounded-text.ts';
import {
  type ClockComparison,
  type GuestClock,
  guestClockFrom,
  isTimeMs,
  parseClockComparison,
} from '../platform/two-clocks.ts';
import type { EvidenceSource } from '../source.ts';

/** The first line of `headstart/cluster-events.jsonl` in a bundle; every other line is an event. */
export interface ClusterEventsHead {
  apiVersion: 'headstart.dev/v1';
  kind: 'ClusterEvents';
  vmId: string;
  /** The guest's boot when its clock was read. */
  bootId?: string;
  /** When the VM was started, on the host's clock. */
  startedMs: number;
  clock: ClockComparison;
}

interface ClusterEvent {
  atMs: number;
  errorMs: number;
  event: string;
  name: string;
  uid: string;
  detail: string;
}

export const clusterEventsSource = {
  kind: 'cluster-events',
  title: 'cluster events of a joining node (headstart/cluster-events.jsonl)',
  recognise: (input) => (BEGINNING.test(headText(input)) ? 1 : 0),
  parse,
} satisfies EvidenceSource;

const BEGINNING =
  /^\s*\{(?:[^{}\n]{0,200}?"kind"\s*:\s*"ClusterEvents"|"atMs":[\d.]{1,20},(?:"errorMs":[\d.]{1,20},)?"event":"(?:csr|node|pod)-)/;
const MAX_BYTES = 4 << 20;
/** Used without a clock comparison: synchronised clocks of two machines agree to about this. */
const UNKNOWN_ERROR_US = 1_000_000;
/** Gives no span if its ends are less exact than this. */
const SPAN_ERROR_MS = 3_000;

function parse(input: Input): Evidence[] {
  const { text, isCut } = boundedText(input, MAX_BYTES);
  const notes: Note[] = [];
  const warn = (text: string) => notes.push({ level: 'warning', text: `${input.name}: ${text}` });
  if (isCut) warn(`only the first ${MAX_BYTES >> 20} MiB are read`);
  const lines = text.split('\n').map((line, index) => ({ number: index + 1, value: parseLine(line) }));
  const head = readHead(lines[0]?.value);
  const events: ClusterEvent[] = [];
  for (const { number, value } of head ? lines.slice(1) : lines) {
    const event = value === '' ? undefined : readEvent(value);
    if (event) events.push(event);
    else if (value !== '') warn(`line ${number} is not a cluster event`);
  }
  const clocks = head && guestClockFrom(head.clock);
  if (head && !clocks)
    warn("the host's clock was set back while the guest's clock was read: its times are used unchanged");
  if (!head) warn("no clock comparison with the guest: assuming that the host's and the guest's clocks agree");
  const facts = factsOf(ofThisBoot(events, head, clocks), clocks);
  return [
    evidence({
      kind: 'cluster-events',
      input: input.name,
      clock: 'wall',
      ...(head?.bootId !== undefined && { bootId: head.bootId }),
      host: {
        ...(head && { vmId: head.vmId.toLowerCase() }),
        ...(facts.node !== undefined && { nodeName: facts.node }),
      },
      spans: facts.spans,
      milestones: facts.milestones,
      notes: [...notes.slice(0, MOST_NOTES), ...facts.notes(input.name)],
    }),
  ];
}

const MOST_NOTES = 10;

/** Events before the VM started, or before the guest last restarted, belong to another boot. */
function ofThisBoot(
  events: readonly ClusterEvent[],
  head: ClusterEventsHead | undefined,
  clocks: GuestClock | undefined,
) {
  const since = (event: ClusterEvent) => {
    if (head && event.atMs + event.errorMs < head.startedMs) return false;
    if (clocks?.kernelStartMs === undefined) return true;
    return clocks.onGuestMs(event.atMs) + event.errorMs + clocks.errorUs / 1000 >= clocks.kernelStartMs;
  };
  return events.filter(since).toSorted((a, b) => a.atMs - b.atMs);
}

function factsOf(events: readonly ClusterEvent[], clocks: GuestClock | undefined) {
  const milestones: Milestone[] = [];
  const spans: Span[] = [];
  const first = (names: readonly string[], uid?: string) =>
    events.find(({ event, uid: of }) => names.includes(event) && (uid === undefined || uid === of));
  const usOf = ({ atMs }: ClusterEvent) => Math.round((clocks ? clocks.onGuestMs(atMs) : atMs) * 1000);

  const reach = (name: Milestone['name'], seen: ClusterEvent | undefined, detail: string) => {
    if (!seen) return;
    const errorUs = Math.round(seen.errorMs * 1000) + (clocks?.errorUs ?? UNKNOWN_ERROR_US);
    milestones.push({ name, atUs: usOf(seen), errorUs, source: 'cluster', detail });
  };
  const between = (
    id: string,
    name: string,
    from: ClusterEvent | undefined,
    to: ClusterEvent | undefined,
    more: Partial<Span> = {},
  ) => {
    if (!from || !to || to.atMs < from.atMs || from.errorMs + to.errorMs > SPAN_ERROR_MS) return;
    spans.push({ id: `cluster:${id}`, name, source: 'cluster', startUs: usOf(from), endUs: usOf(to), ...more });
  };

  const ready = first(['node-ready']);
  const registered = first(['node-registered', 'node-returned'], ready?.uid);
  const issued = first(['csr-issued']);
  const pod = first(['pod-running']);
  const bound = pod && first(['pod-bound'], pod.uid);
  reach(
    'node-registered',
    registered,
    registered?.event === 'node-returned' ? 'the Node already existed' : 'seen by a watch',
  );
  reach('node-ready', ready, 'seen by a watch');
  reach('pod-running', pod, pod?.name ?? '');
  between('certificate', 'certificate request to certificate', first(['csr-created'], issued?.uid), issued, {
    wait: 'cluster: until it signs the client certificate',
  });
  between('become-ready', 'registered to Ready', registered, ready);
  // A pod cannot start before the node is Ready, however early it was bound.
  between('first-pod', 'first pod', bound && ready && bound.atMs < ready.atMs ? ready : (bound ?? ready), pod, {
    ...(pod && { detail: pod.name }),
  });
  return { milestones, spans, node: registered?.name, notes: (input: string) => troubles(events, input) };
}

const TROUBLES: ReadonlyMap<string, string> = new Map([
  ['csr-denied', 'a certificate request was denied'],
  ['csr-failed', 'a certificate request could not be signed'],
  ['node-deleted', 'the Node was deleted while the node was joining'],
]);

function troubles(events: readonly ClusterEvent[], input: string): Note[] {
  return [...TROUBLES].flatMap(([name, what]) => {
    const [seen, ...more] = events.filter(({ event }) => event === name);
    if (!seen) return [];
    const count = more.length > 0 ? ` (${more.length + 1} times)` : '';
    const why = seen.detail === '' ? '' : `: ${seen.detail.slice(0, 300)}`;
    return [{ level: 'warning', text: `${input}: ${what}${count}${why}` }];
  });
}

/** Empty for a blank line; undefined if the line is not JSON. */
function parseLine(line: string): unknown {
  if (line.trim() === '') return '';
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function readHead(value: unknown): ClusterEventsHead | undefined {
  const { apiVersion, kind, vmId, bootId, startedMs, clock } = asObject(value);
  const reading = parseClockComparison(clock);
  if (apiVersion !== 'headstart.dev/v1' || kind !== 'ClusterEvents' || !reading) return undefined;
  if (typeof vmId !== 'string' || !isTimeMs(startedMs)) return undefined;
  const isId = typeof bootId === 'string' && /^[0-9a-f]{32}$/.test(bootId);
  return { apiVersion, kind, vmId, ...(isId && { bootId }), startedMs, clock: reading };
}

function readEvent(value: unknown): ClusterEvent | undefined {
  const { atMs, errorMs, event, name, uid, detail } = asObject(value);
  if (!isTimeMs(atMs) || typeof event !== 'string' || typeof name !== 'string') return undefined;
  return {
    atMs,
    errorMs: isTimeMs(errorMs) ? errorMs : 0,
    event,
    name,
    uid: typeof uid === 'string' ? uid : '',
    detail: typeof detail === 'string' ? detail : '',
  };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
