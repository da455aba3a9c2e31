// boot/load/sources/kubernetes/kubernetes-events.ts: when did kubelet start and the node become Ready, according to the cluster's events
// (`kubectl get events -o json|yaml`)?
import { type Evidence, evidence } from '../../../model/evidence.ts';
import type { Milestone, Note } from '../../../model/record.ts';
import { headText, type Input } from '../../input.ts';
import type { EvidenceSource } from '../source.ts';
import { asObject, kubernetesDocuments, type ObjectFields, objectsIn, stampIn, textIn } from './objects.ts';

export const kubernetesEventsSource = {
  kind: 'kubernetes-events',
  title: 'Kubernetes events (kubectl get events -o json|yaml)',
  recognise,
  parse,
} satisfies EvidenceSource;

const EVENT_KIND = /"?kind"?\s*:\s*"?(?:Event|EventList)\b/;

function recognise(input: Input): number {
  const head = headText(input);
  return /"?apiVersion"?\s*:/.test(head) && EVENT_KIND.test(head) && /"?involvedObject"?\s*:/.test(head) ? 0.95 : 0;
}

interface NodeEvent {
  node: string;
  reason: string;
  component: string;
  atUs: number;
  isWholeSecond: boolean;
  message: string;
}

/** One piece of evidence per node. Events about pods are not used. */
async function parse(input: Input): Promise<Evidence[]> {
  const { documents, notes } = await kubernetesDocuments(input, EVENT_KIND);
  const events = documents.flatMap((document) => objectsIn(document, 'Event')).flatMap(nodeEvent);
  const byNode = Map.groupBy(events, ({ node }) => node);
  return [...byNode].flatMap(([node, its]) => {
    const found = nodeEvidence(
      node,
      its.toSorted((a, b) => a.atUs - b.atUs),
      input.name,
    );
    return found ? [{ ...found, notes: [...found.notes, ...notes] }] : [];
  });
}

function nodeEvent(event: ObjectFields): NodeEvent[] {
  const about = asObject(event.involvedObject);
  const node = textIn(about, 'name');
  const reason = textIn(event, 'reason');
  // A repeated event is one object: the first stamp is the first occurrence.
  const preciseUs = stampIn(event, 'eventTime');
  const atUs = preciseUs ?? stampIn(event, 'firstTimestamp') ?? stampIn(asObject(event.metadata), 'creationTimestamp');
  if (about.kind !== 'Node' || node === undefined || reason === undefined || atUs === undefined) return [];
  const component = textIn(asObject(event.source), 'component') ?? textIn(event, 'reportingComponent') ?? '';
  return [
    { node, reason, component, atUs, isWholeSecond: preciseUs === undefined, message: textIn(event, 'message') ?? '' },
  ];
}

/** Events stay for an hour by default, so they may tell of several starts: the last one that became Ready counts. */
function nodeEvidence(node: string, events: readonly NodeEvent[], input: string): Evidence | undefined {
  const starts = events.filter(({ reason, message }) => reason === 'Starting' && /kubelet/i.test(message));
  const readies = events.filter(({ reason }) => reason === 'NodeReady');
  const lastStart = starts.at(-1);
  const ready = readies.find(({ atUs }) => lastStart === undefined || atUs >= lastStart.atUs) ?? readies.at(-1);
  const start = ready ? starts.findLast(({ atUs }) => atUs <= ready.atUs) : lastStart;
  const milestones: Milestone[] = [];
  const reach = (name: Milestone['name'], event: NodeEvent | undefined) => {
    if (!event) return;
    const error = event.isWholeSecond ? { errorUs: 1e6 } : {};
    milestones.push({ name, atUs: event.atUs, ...error, source: 'cluster', detail: `event ${event.reason}` });
  };
  reach('kubelet-started', start);
  reach('node-ready', ready);
  if (milestones.length === 0) return undefined;
  const notes: Note[] = [];
  const note = (text: string) => notes.push({ level: 'info', text: `${input}: ${node}: ${text}` });
  if (starts.length > 1) note(`kubelet started ${starts.length} times; the last start that became Ready is used`);
  if (!ready) notes.push({ level: 'warning', text: `${input}: ${node}: no event says that it became Ready` });
  return evidence({
    kind: 'kubernetes-events',
    input,
    clock: 'wall',
    host: { nodeName: node },
    milestones,
    notes,
    ...bootIdOf(events, start),
  });
}

/** kubelet reports a new boot id after it started: `Node n has been rebooted, boot id: 5a0e…` */
function bootIdOf(events: readonly NodeEvent[], start: NodeEvent | undefined): { bootId?: string } {
  const reboot = events.find(({ reason, atUs }) => reason === 'Rebooted' && start !== undefined && atUs >= start.atUs);
  const id = /boot id: ([0-9a-f-]{32,36})/.exec(reboot?.message ?? '')?.[1]?.replaceAll('-', '');
  return id?.length === 32 ? { bootId: id } : {};
}
