// node/api/own-node.ts: what can this node do with its Node object? Read it, watch its metadata, report its state and
// drain it. Reads kubelet's credential for every request, because kubelet renews it. The API server only allows changes
// to the own Node, and not to taints.

import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { ApiFailure, type ApiRequest, exchange, parseObject, stream } from './api-server.ts';
import type { KubeletCredential } from './kubelet-credential.ts';

export interface OwnNode {
  /** Undefined: not registered yet. */
  get(): Promise<NodeObject | undefined>;
  /** null removes an annotation or a label. */
  patchMetadata(patch: MetadataPatch): Promise<void>;
  /** Adds or replaces the condition of this type. */
  patchCondition(condition: Condition): Promise<void>;
  createEvent(event: NodeEvent): Promise<void>;
  cordon(change: { isCordoned: boolean; annotations: Readonly<Record<string, string | null>> }): Promise<void>;
  /** All pods bound to this node. */
  pods(): Promise<OwnPod[]>;
  /** Rejects with status 429 while a disruption budget blocks it. */
  evict(pod: Pick<OwnPod, 'namespace' | 'name'>): Promise<void>;
  /** Passes on the current metadata and every change. Ends when the server, the network or `signal` ends it. */
  watchMetadata(onMetadata: (metadata: NodeMetadata) => void, signal: AbortSignal): Promise<void>;
}

export interface NodeMetadata {
  name: string;
  uid: string;
  annotations: Readonly<Record<string, string>>;
  labels: Readonly<Record<string, string>>;
}

export interface NodeObject extends NodeMetadata {
  taints: readonly { key: string; value: string; effect: string }[];
  isUnschedulable: boolean;
  ready: { isReady: boolean; heartbeatMs: number; reason: string; message: string } | undefined;
}

export interface OwnPod {
  namespace: string;
  name: string;
  phase: string;
  /** The kind of the controller. */
  ownerKind?: string;
  /** A static pod, from a file on this node. */
  isMirror: boolean;
  isTerminating: boolean;
}

export interface MetadataPatch {
  annotations?: Readonly<Record<string, string | null>>;
  labels?: Readonly<Record<string, string | null>>;
}

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  /** One word in CamelCase. */
  reason: string;
  message: string;
  lastTransitionTime: string;
  lastHeartbeatTime: string;
}

export interface NodeEvent {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  time: string;
}

export interface OwnNodeOptions {
  credential(): Promise<KubeletCredential | { why: string }>;
  /** The timeout of a request other than a watch. */
  timeoutMs?: number;
  /** The server ends a watch after this time. */
  watchMs?: number;
}

const TIMEOUT_MS = 10_000;
const WATCH_MS = 300_000;
export function ownNode({ credential, timeoutMs = TIMEOUT_MS, watchMs = WATCH_MS }: OwnNodeOptions): OwnNode {
  async function requireCredential(): Promise<KubeletCredential> {
    const found = await credential();
    if ('why' in found) throw new ApiFailure(found.why);
    return found;
  }

  async function request(make: (name: string) => ApiRequest): Promise<JsonObject> {
    const found = await requireCredential();
    return exchange(found, { ...make(found.nodeName), timeoutMs });
  }

  return {
    async get() {
      try {
        return toNode(await request((name) => ({ method: 'GET', path: `/api/v1/nodes/${name}` })));
      } catch (error) {
        if (error instanceof ApiFailure && error.status === 404) return undefined;
        throw error;
      }
    },
    async patchMetadata(metadata) {
      await request((name) => ({ method: 'PATCH', path: `/api/v1/nodes/${name}`, type: MERGE, body: { metadata } }));
    },
    async patchCondition(condition) {
      const body = { status: { conditions: [condition] } };
      await request((name) => ({ method: 'PATCH', path: `/api/v1/nodes/${name}/status`, type: STRATEGIC, body }));
    },
    async createEvent(event) {
      await request((name) => ({
        method: 'POST',
        path: '/api/v1/namespaces/default/events',
        body: eventOf(name, event),
      }));
    },
    async cordon({ isCordoned, annotations }) {
      const body = { metadata: { annotations }, spec: { unschedulable: isCordoned || null } };
      await request((name) => ({ method: 'PATCH', path: `/api/v1/nodes/${name}`, type: MERGE, body }));
    },
    async pods() {
      const path = (name: string) => `/api/v1/pods?${new URLSearchParams({ fieldSelector: `spec.nodeName=${name}` })}`;
      return listOf((await request((name) => ({ method: 'GET', path: path(name) }))).items).map(toPod);
    },
    async evict({ namespace, name }) {
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
      await request(() => ({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, body }));
    },
    async watchMetadata(onMetadata, signal) {
      const found = await requireCredential();
      const query = new URLSearchParams({
        watch: 'true',
        // The node authoriser allows a watch of Nodes only with this field selector.
        fieldSelector: `metadata.name=${found.nodeName}`,
        timeoutSeconds: `${Math.ceil(watchMs / 1000)}`,
      });
      const watchRequest = { method: 'GET', path: `/api/v1/nodes?${query}`, accept: METADATA_ONLY } as const;
      await stream(
        found,
        { ...watchRequest, timeoutMs: watchMs + timeoutMs, answerWithinMs: timeoutMs },
        signal,
        (line) => {
          const metadata = changedMetadata(line);
          if (metadata) onMetadata(metadata);
        },
      );
    },
  };
}

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
/** kubelet updates the Node's status often, with a long list of images; only annotations matter here. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** Undefined for a bookmark, for an error that ends the watch, and for a deletion. */
function changedMetadata(line: string): NodeMetadata | undefined {
  const event = parseObject(line);
  if (event === undefined || (event.type !== 'ADDED' && event.type !== 'MODIFIED')) return undefined;
  return isObject(event.object) ? toMetadata(event.object) : undefined;
}

function toMetadata({ metadata }: JsonObject): NodeMetadata {
  const found = isObject(metadata) ? metadata : {};
  return {
    name: text(found.name),
    uid: text(found.uid),
    annotations: texts(found.annotations),
    labels: texts(found.labels),
  };
}

function toNode(object: JsonObject): NodeObject {
  const spec = isObject(object.spec) ? object.spec : {};
  const status = isObject(object.status) ? object.status : {};
  const ready = listOf(status.conditions).find(({ type }) => type === 'Ready');
  return {
    ...toMetadata(object),
    taints: listOf(spec.taints).map(({ key, value, effect }) => ({
      key: text(key),
      value: text(value),
      effect: text(effect),
    })),
    isUnschedulable: spec.unschedulable === true,
    ready: ready && {
      isReady: ready.status === 'True',
      heartbeatMs: Date.parse(text(ready.lastHeartbeatTime)) || 0,
      reason: text(ready.reason),
      message: text(ready.message),
    },
  };
}

function toPod({ metadata, status }: JsonObject): OwnPod {
  const about = isObject(metadata) ? metadata : {};
  const owner = listOf(about.ownerReferences).find(({ controller }) => controller === true);
  return {
    namespace: text(about.namespace),
    name: text(about.name),
    phase: text(isObject(status) ? status.phase : undefined),
    ...(owner && { ownerKind: text(owner.kind) }),
    isMirror: texts(about.annotations)['kubernetes.io/config.mirror'] !== undefined,
    isTerminating: about.deletionTimestamp !== undefined,
  };
}

function eventOf(nodeName: string, { type, reason, message, time }: NodeEvent): object {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { generateName: `${nodeName.slice(0, 200)}.headstart-`, namespace: 'default' },
    // kubelet also uses the name as uid; tools find a Node's events by it.
    involvedObject: { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeName },
    source: { component: 'headstart-node', host: nodeName },
    type,
    reason,
    message: message.slice(0, 1024),
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function texts(value: Json | undefined): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, text(item)]));
}
