// cluster/kubernetes/join-events.ts: what does the API server see of a node that comes up, and when? Objects as they are seen go in, each
// thing that happened comes out once. What was there of an earlier life of that name does not count.
import { type JoinCsr, type JoinNode, type JoinPod, readNode, readPod, readRequest } from './join-objects.ts';

export const JOIN_EVENTS = [
  'csr-created',
  'csr-approved',
  'csr-denied',
  'csr-failed',
  'csr-issued',
  'node-registered',
  /** The Node is an old one; the kubelet of this boot has reported for the first time. */
  'node-returned',
  'node-ready',
  /** Ready, and the taints are gone that kept pods away until then. */
  'node-schedulable',
  'node-deleted',
  'pod-bound',
  'pod-running',
] as const;
export type JoinEventName = (typeof JOIN_EVENTS)[number];

export interface JoinEvent {
  /** On this machine's clock. */
  atMs: number;
  /** Within ± this of `atMs`, where it was not seen as it happened. */
  errorMs?: number;
  event: JoinEventName;
  /** Of the request, the node, or the pod with its namespace. */
  name: string;
  uid?: string;
  detail?: string;
}

export type WatchedKind = 'requests' | 'nodes' | 'pods';

/** When it was seen; what it shows has happened since `fromMs`. */
export interface ObservationTime {
  fromMs: number;
  nowMs: number;
}

export interface JoinEvents {
  /** All there is. The first list of a kind also says what is old. */
  listed(what: WatchedKind, objects: readonly unknown[], moment: ObservationTime): JoinEvent[];
  changed(what: WatchedKind, change: 'put' | 'deleted', object: unknown, moment: ObservationTime): JoinEvent[];
}

/** A kubelet that cannot get in asks again and again, and a node may have a hundred pods. */
const MOST_OBJECTS = 50;
const SECOND_MS = 1000;

export function joinEvents(nodeName: string, startedMs: number): JoinEvents {
  const reported = new Set<string>();
  const counts = new Map<JoinEventName, number>();
  const hasListed = new Set<WatchedKind>();
  const oldRequests = new Set<string>();
  const oldRuns = new Map<string, readonly number[]>();
  let oldNode: JoinNode | undefined;
  let current: JoinNode | undefined;
  let hasPodRun = false;

  /** Stamps of the server are of whole seconds: it may have been at any moment of that one. */
  const isOld = ({ createdMs }: { createdMs?: number }) =>
    createdMs !== undefined && createdMs + SECOND_MS <= startedMs;

  function once(
    event: JoinEventName,
    about: { name: string; uid: string },
    when: EventTime,
    detail?: string,
  ): JoinEvent[] {
    const key = `${event} ${about.uid}`;
    const count = counts.get(event) ?? 0;
    if (reported.has(key) || count >= MOST_OBJECTS) return [];
    reported.add(key);
    counts.set(event, count + 1);
    return [{ ...placed(when), event, name: about.name, uid: about.uid, ...(detail && { detail }) }];
  }

  function seeRequest(request: JoinCsr, moment: ObservationTime): JoinEvent[] {
    if (request.commonName !== `system:node:${nodeName}` || oldRequests.has(request.uid)) return [];
    const decided = (type: string, event: JoinEventName) =>
      request.decisions
        .filter((decision) => decision.type === type)
        .flatMap(({ atMs, reason, message }) =>
          once(event, request, { ...moment, stampMs: atMs }, type === 'Approved' ? undefined : short(reason, message)),
        );
    return [
      ...once('csr-created', request, { ...moment, stampMs: request.createdMs }),
      ...decided('Approved', 'csr-approved'),
      ...decided('Denied', 'csr-denied'),
      ...decided('Failed', 'csr-failed'),
      ...(request.isIssued ? once('csr-issued', request, moment) : []),
    ];
  }

  function seeNode(node: JoinNode, moment: ObservationTime): JoinEvent[] {
    if (node.name !== nodeName) return [];
    const isReturning = node.uid === oldNode?.uid;
    if (isReturning && !hasReturned(node)) return [];
    current = node;
    return [
      ...(isReturning
        ? once('node-returned', node, moment)
        : once('node-registered', node, { ...moment, stampMs: node.createdMs })),
      ...(node.isReady ? once('node-ready', node, { ...moment, stampMs: node.changedMs, isOfNode: true }) : []),
      ...(node.isReady && node.startTaints.length === 0 ? once('node-schedulable', node, moment) : []),
    ];
  }

  /** While its VM was away nobody spoke for it: another boot id, a word or Ready since the start, is the new kubelet's. */
  function hasReturned(node: JoinNode): boolean {
    if (node.bootId !== '' && node.bootId !== oldNode?.bootId) return true;
    // Seen late, its boot is the new one already, and it may have been Ready all the time as far as the cluster knows.
    if (node.heardMs !== undefined && node.heardMs >= startedMs) return true;
    return node.isReady && node.changedMs !== undefined && node.changedMs >= startedMs;
  }

  function seePod(pod: JoinPod, moment: ObservationTime): JoinEvent[] {
    if (hasPodRun) return [];
    const old = oldRuns.get(pod.uid);
    const bound = old ? [] : once('pod-bound', pod, { ...moment, stampMs: pod.boundMs });
    // A pod that outlived its VM is still said to run until the new kubelet has looked.
    const newRuns = pod.runsMs.filter((runMs) => !old?.includes(runMs));
    if (pod.phase !== 'Running' || newRuns.length === 0) return bound;
    hasPodRun = true;
    return [...bound, ...once('pod-running', pod, { ...moment, stampMs: Math.max(...newRuns), isOfNode: true })];
  }

  function see(what: WatchedKind, object: unknown, moment: ObservationTime): JoinEvent[] {
    if (what === 'requests') return ifRead(readRequest(object), (request) => seeRequest(request, moment));
    if (what === 'nodes') return ifRead(readNode(object), (node) => seeNode(node, moment));
    return ifRead(readPod(object), (pod) => seePod(pod, moment));
  }

  function noteOld(what: WatchedKind, objects: readonly unknown[]): void {
    hasListed.add(what);
    for (const object of objects) {
      const seen = what === 'requests' ? readRequest(object) : what === 'nodes' ? readNode(object) : readPod(object);
      if (!seen || !isOld(seen)) continue;
      if (what === 'requests') oldRequests.add(seen.uid);
      else if ('runsMs' in seen)
        oldRuns.set(
          seen.uid,
          seen.runsMs.filter((runMs) => runMs < startedMs),
        );
      else if ('bootId' in seen && seen.name === nodeName) oldNode = seen;
    }
  }

  function deleted(moment: ObservationTime): JoinEvent[] {
    const gone = current;
    current = undefined;
    return gone ? once('node-deleted', gone, moment) : [];
  }

  return {
    listed(what, objects, moment) {
      if (!hasListed.has(what)) noteOld(what, objects);
      const isGone = what === 'nodes' && current && !objects.some((object) => readNode(object)?.uid === current?.uid);
      const inOrder = what === 'pods' ? objects.toSorted((a, b) => firstRunMs(a) - firstRunMs(b)) : objects;
      return [...(isGone ? deleted(moment) : []), ...inOrder.flatMap((object) => see(what, object, moment))];
    },
    changed(what, change, object, moment) {
      if (change === 'put') return see(what, object, moment);
      return what === 'nodes' && readNode(object)?.uid === current?.uid ? deleted(moment) : [];
    },
  };
}

interface EventTime extends ObservationTime {
  /** The second in which it was, where a stamp tells. */
  stampMs?: number | undefined;
  /** The stamp is the node's. A VM takes its time from a clock that knows whole seconds, so it may be that much off. */
  isOfNode?: boolean;
}

/** Seen as it happened: now. Else somewhere since the last look, and in the second of its stamp where the two agree. */
function placed({ fromMs, nowMs, stampMs, isOfNode }: EventTime): { atMs: number; errorMs?: number } {
  if (fromMs >= nowMs) return { atMs: nowMs };
  const offMs = isOfNode ? SECOND_MS : 0;
  const [lowMs, highMs] =
    stampMs === undefined
      ? [fromMs, nowMs]
      : [Math.max(fromMs, stampMs - offMs), Math.min(nowMs, stampMs + SECOND_MS + offMs)];
  const [earliestMs, latestMs] = lowMs <= highMs ? [lowMs, highMs] : [fromMs, nowMs];
  return { atMs: (earliestMs + latestMs) / 2, errorMs: (latestMs - earliestMs) / 2 };
}

function short(reason: string, message: string): string {
  return [reason, message].filter(Boolean).join(': ').slice(0, 300);
}

/** Of several that run, the first to have run is told. */
const firstRunMs = (object: unknown) => Math.min(...(readPod(object)?.runsMs ?? []), Number.MAX_VALUE);

const ifRead = <T>(seen: T | undefined, then: (seen: T) => JoinEvent[]) => (seen ? then(seen) : []);
