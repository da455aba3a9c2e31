// cluster/kubernetes/join-events.ts: turns observed objects into the join events of a new node, each once. Objects of an earlier node
// of the same name do not count.
import { type JoinCsr, type JoinNode, type JoinPod, readNode, readPod, readRequest } from './join-objects.ts';

export const JOIN_EVENTS = [
  'csr-created',
  'csr-approved',
  'csr-denied',
  'csr-failed',
  'csr-issued',
  'node-registered',
  /** The Node existed before; the kubelet of this boot has reported for the first time. */
  'node-returned',
  'node-ready',
  /** Ready, and without the startup taints that keep pods away. */
  'node-schedulable',
  'node-deleted',
  'pod-bound',
  'pod-running',
] as const;
export type JoinEventName = (typeof JOIN_EVENTS)[number];

export interface JoinEvent {
  /** On this machine's clock. */
  atMs: number;
  /** The event was within ± this of `atMs`; absent if it was seen live. */
  errorMs?: number;
  event: JoinEventName;
  /** Name of the CSR or node, or namespace and name of the pod. */
  name: string;
  uid?: string;
  detail?: string;
}

export type WatchedKind = 'requests' | 'nodes' | 'pods';

/** When an object was read; its events happened between `fromMs` and `nowMs`. */
export interface ObservationTime {
  fromMs: number;
  nowMs: number;
}

export interface JoinEvents {
  /** All objects of a kind. The first list also defines which objects are old. */
  listed(what: WatchedKind, objects: readonly unknown[], moment: ObservationTime): JoinEvent[];
  changed(what: WatchedKind, change: 'put' | 'deleted', object: unknown, moment: ObservationTime): JoinEvent[];
}

/** A kubelet that is refused sends one CSR after another, and a node may have a hundred pods. */
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

  /** The server's timestamps are whole seconds, so the object may be up to a second younger. */
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

  /** No kubelet reports while the VM is off, so a new boot id, or a heartbeat or Ready since the start, is the new kubelet's. */
  function hasReturned(node: JoinNode): boolean {
    if (node.bootId !== '' && node.bootId !== oldNode?.bootId) return true;
    // If first read late, the boot id is already the new one, and the node may have stayed Ready in the API.
    if (node.heardMs !== undefined && node.heardMs >= startedMs) return true;
    return node.isReady && node.changedMs !== undefined && node.changedMs >= startedMs;
  }

  function seePod(pod: JoinPod, moment: ObservationTime): JoinEvent[] {
    if (hasPodRun) return [];
    const old = oldRuns.get(pod.uid);
    const bound = old ? [] : once('pod-bound', pod, { ...moment, stampMs: pod.boundMs });
    // A pod from before the restart stays Running in the API until the new kubelet updates it.
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
  /** The second of the event, if there is a timestamp. */
  stampMs?: number | undefined;
  /** The timestamp is on the node's clock. A VM sets it from a clock with whole seconds, so it may be off by one second. */
  isOfNode?: boolean;
}

/** Live events happened now. Others happened since the last read, narrowed to the second of the timestamp if the two agree. */
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

/** Only the first pod that ran is reported. */
const firstRunMs = (object: unknown) => Math.min(...(readPod(object)?.runsMs ?? []), Number.MAX_VALUE);

const ifRead = <T>(seen: T | undefined, then: (seen: T) => JoinEvent[]) => (seen ? then(seen) : []);
