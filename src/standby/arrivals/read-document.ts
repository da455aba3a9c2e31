// standby/arrivals/read-document.ts: which arrivals does a JSON document name: a list of times, or what kubectl prints of events or nodes?
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { type ArrivalProblem, type Arrivals, arrivalMs } from './arrivals.ts';
import { readItem } from './read-line.ts';

export function readDocument(document: Json): Arrivals | { problem: ArrivalProblem } {
  if (Array.isArray(document)) return readList(document, '');
  if (!isObject(document)) return wrong('', 'expected a list of times, or a List of kubectl');
  if (Array.isArray(document.arrivals)) return readList(document.arrivals, 'arrivals');
  if (!Array.isArray(document.items)) return wrong('', 'has neither `arrivals` nor the `items` of a kubectl List');
  const items = document.items.filter(isObject);
  const events = items.filter((item) => item.kind === 'Event' || document.kind === 'EventList');
  const nodes = items.filter((item) => item.kind === 'Node' || document.kind === 'NodeList');
  if (events.length > 0) return readEvents(events);
  if (nodes.length > 0 || items.length === 0) return readNodes(nodes);
  return wrong('items[0].kind', 'expected Event or Node');
}

function readList(list: readonly Json[], name: string): Arrivals | { problem: ArrivalProblem } {
  const arrivals: Arrivals = { atMs: [], notes: [] };
  for (const [n, item] of list.entries()) {
    const read = readItem(item);
    if (!read || 'problem' in read) return wrong(`${name}[${n}]`, read?.problem ?? 'is empty');
    for (let node = 0; node < read.count; node++) arrivals.atMs.push(read.atMs);
  }
  return arrivals;
}

function readNodes(nodes: readonly JsonObject[]): Arrivals | { problem: ArrivalProblem } {
  const atMs: number[] = [];
  for (const [n, node] of nodes.entries()) {
    const at = timeOf(text(metadataOf(node).creationTimestamp));
    if (at === undefined) return wrong(`items[${n}].metadata.creationTimestamp`, 'is missing or not a time');
    atMs.push(at);
  }
  const notes = [
    'A Node is created when kubelet registers, later than it was asked for; nodes that were deleted are not listed.',
  ];
  return { atMs, notes };
}

/** The request for a node is the event of the autoscaler. Registrations count only where there is none: each node would count twice. */
function readEvents(events: readonly JsonObject[]): Arrivals | { problem: ArrivalProblem } {
  const scaleUps = new Map<string, { atMs: number; count: number }>();
  const registered = new Map<string, number>();
  for (const [n, event] of events.entries()) {
    const { reason } = event;
    if (reason !== 'TriggeredScaleUp' && reason !== 'RegisteredNode') continue;
    const atMs = eventMs(event);
    if (atMs === undefined) return wrong(`items[${n}].firstTimestamp`, 'is missing or not a time');
    if (reason === 'TriggeredScaleUp') {
      const sizes = [...text(event.message).matchAll(/\{?(\S+) (\d{1,6})->(\d{1,6}) \(max: \d+\)/g)];
      if (sizes.length === 0)
        return wrong(`items[${n}].message`, 'expected a change of size such as {pool1 1->3 (max: 10)}');
      for (const [, group = '', from, to] of sizes)
        addScaleUp(scaleUps, { key: `${group} ${from} ${to}`, atMs, count: Number(to) - Number(from) });
    } else {
      const node = isObject(event.involvedObject) ? text(event.involvedObject.name) : '';
      registered.set(node, Math.min(atMs, registered.get(node) ?? atMs)); // a restarted controller registers all again
    }
  }
  if (scaleUps.size === 0)
    return {
      atMs: [...registered.values()],
      notes: ['A RegisteredNode event comes when kubelet registers, later than the node was asked for.'],
    };
  const atMs = [...scaleUps.values()].flatMap((one) => Array.from({ length: Math.max(0, one.count) }, () => one.atMs));
  const ignored = registered.size === 0 ? [] : [`${registered.size} RegisteredNode events are not counted again.`];
  return { atMs, notes: ['A scale-up that several pods triggered is counted once.', ...ignored] };
}

/** The autoscaler writes one event for each pod that it helps. */
const SAME_SCALE_UP_MS = 60_000;

function addScaleUp(
  known: Map<string, { atMs: number; count: number }>,
  { key, atMs, count }: { key: string; atMs: number; count: number },
): void {
  for (const slot of [-1, 0, 1]) {
    const near = `${key} ${Math.floor(atMs / SAME_SCALE_UP_MS) + slot}`;
    const same = known.get(near);
    if (!same || Math.abs(same.atMs - atMs) >= SAME_SCALE_UP_MS) continue;
    same.atMs = Math.min(same.atMs, atMs);
    return;
  }
  known.set(`${key} ${Math.floor(atMs / SAME_SCALE_UP_MS)}`, { atMs, count });
}

const eventMs = (event: JsonObject) =>
  timeOf(text(event.firstTimestamp)) ??
  timeOf(text(event.eventTime)) ??
  timeOf(text(metadataOf(event).creationTimestamp));

const metadataOf = ({ metadata }: JsonObject): JsonObject => (isObject(metadata) ? metadata : {});
const text = (value: Json | undefined) => (typeof value === 'string' ? value : '');
const timeOf = (value: string) => (value === '' ? undefined : arrivalMs(value));
const wrong = (where: string, message: string) => ({ problem: { where: where || 'the document', message } });
