// cluster/kubernetes/join-objects.ts: the fields of CSRs, Nodes and Pods that join events need. Lists return Dates, watches return
// strings, and any field may be missing.
import { requestedName } from './request-subject.ts';

interface JoinObject {
  name: string;
  uid: string;
  createdMs?: number;
}

export interface JoinCsr extends JoinObject {
  /** `system:node:NAME`. */
  commonName?: string;
  /** The conditions, with the server's timestamp in whole seconds. */
  decisions: { type: string; reason: string; message: string; atMs?: number }[];
  isIssued: boolean;
}

export interface JoinNode extends JoinObject {
  /** From the last report of a kubelet; empty before the first. */
  bootId: string;
  isReady: boolean;
  /** Last change of the Ready condition, on the node's clock. */
  changedMs?: number;
  /** Last heartbeat of a kubelet, on the node's clock. */
  heardMs?: number;
  /** Keys of taints that keep pods away until the node is ready for them. */
  startTaints: string[];
}

export interface JoinPod extends JoinObject {
  phase: string;
  /** When it was scheduled to a node. */
  boundMs?: number;
  /** Start times of its running containers, on the node's clock: they distinguish one run from the next. */
  runsMs: number[];
}

export function readRequest(object: unknown): JoinCsr | undefined {
  const [common, { spec, status }] = [metadataOf(object), record(object)];
  const { request } = record(spec);
  if (!common || typeof request !== 'string') return undefined;
  const commonName = requestedName(request);
  const { certificate } = record(status);
  return {
    ...common,
    ...(commonName !== undefined && { commonName }),
    decisions: items(record(status).conditions).map((condition) => ({
      type: text(condition.type),
      reason: text(condition.reason),
      message: text(condition.message),
      ...stamped(condition.lastUpdateTime, (atMs) => ({ atMs })),
    })),
    isIssued: typeof certificate === 'string' && certificate !== '',
  };
}

/** Taints that Kubernetes sets on a node that is not yet ready for pods. */
const START_TAINTS: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/network-unavailable',
  'node.cloudprovider.kubernetes.io/uninitialized',
]);

export function readNode(object: unknown): JoinNode | undefined {
  const [common, { spec, status }] = [metadataOf(object), record(object)];
  if (!common) return undefined;
  const ready = items(record(status).conditions).find(({ type }) => type === 'Ready');
  return {
    ...common,
    bootId: text(record(record(status).nodeInfo).bootID),
    isReady: ready?.status === 'True',
    ...stamped(ready?.lastTransitionTime, (changedMs) => ({ changedMs })),
    ...stamped(ready?.lastHeartbeatTime, (heardMs) => ({ heardMs })),
    startTaints: items(record(spec).taints)
      .map(({ key }) => text(key))
      .filter((key) => START_TAINTS.has(key)),
  };
}

export function readPod(object: unknown): JoinPod | undefined {
  const [common, { metadata, status }] = [metadataOf(object), record(object)];
  if (!common) return undefined;
  const { phase, conditions, containerStatuses } = record(status);
  const bound = items(conditions).find((condition) => condition.type === 'PodScheduled' && condition.status === 'True');
  return {
    ...common,
    name: `${text(record(metadata).namespace)}/${common.name}`,
    phase: text(phase),
    ...stamped(bound?.lastTransitionTime, (boundMs) => ({ boundMs })),
    runsMs: items(containerStatuses).flatMap(({ state }) => timeOf(record(record(state).running).startedAt) ?? []),
  };
}

export function resourceVersionOf(object: unknown): string | undefined {
  return text(record(record(object).metadata).resourceVersion) || undefined;
}

function metadataOf(object: unknown): JoinObject | undefined {
  const { name, uid, creationTimestamp } = record(record(object).metadata);
  if (typeof name !== 'string' || typeof uid !== 'string') return undefined;
  return { name, uid, ...stamped(creationTimestamp, (createdMs) => ({ createdMs })) };
}

function stamped<T extends object>(value: unknown, field: (ms: number) => T): T | object {
  const ms = timeOf(value);
  return ms === undefined ? {} : field(ms);
}

function timeOf(value: unknown): number | undefined {
  const ms = value instanceof Date ? value.getTime() : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) ? ms : undefined;
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const items = (value: unknown) => (Array.isArray(value) ? value.map(record) : []);

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
