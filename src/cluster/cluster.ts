// cluster/cluster.ts: what does a run need of the cluster that a pool's nodes belong to? Kubernetes, none at all, and the fake promise the same.
import type { Eviction } from './drain/next-evictions.ts';

export type { Eviction } from './drain/next-evictions.ts';

export interface Node {
  name: string;
  uid: string;
  /** Given back on a conditional change. */
  resourceVersion: string;
  providerId: string;
  isUnschedulable: boolean;
  isReady: boolean;
  readySinceMs?: number;
  /** Pressure and network conditions that are true. */
  troubles: string[];
  annotations: Readonly<Record<string, string>>;
  labels: Readonly<Record<string, string>>;
  taints: readonly { key: string; value?: string; effect: string }[];
  os: string;
  architecture: string;
  osImage: string;
  kernelVersion: string;
  kubeletVersion: string;
  machineId: string;
  systemUuid: string;
  /** Of the boot that its kubelet has reported from; absent where nobody tells. */
  bootId?: string;
}

export interface Pod {
  namespace: string;
  name: string;
  uid: string;
  /** Kind of the controller; absent = nothing would bring it back. */
  ownerKind?: string;
  ownerExists: boolean;
  isMirror: boolean;
  hasEmptyDir: boolean;
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  deletionMs?: number;
  graceSeconds?: number;
}

export interface NodeChange {
  isUnschedulable?: boolean;
  /** null removes. */
  annotations?: Readonly<Record<string, string | null>>;
}

export interface Lease {
  holder: string;
  renewedMs: number;
  durationMs: number;
  /** Who it is and what it does, for the message to the one that finds it held. */
  note: string;
}

/** What may be told of a bootstrap token: never its secret half. */
export interface BootstrapToken {
  /** Absent: it does not end. */
  expiresMs?: number;
  /** A kubelet may log in with it. */
  isForJoining: boolean;
}

/** What a script on the node printed, and how it ended. */
export interface ScriptResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface Cluster {
  readNode(name: string, signal?: AbortSignal): Promise<Node | undefined>;
  listNodes(signal?: AbortSignal): Promise<Node[]>;
  /** Only if the node is still the one that was read (uid and resourceVersion); throws `Conflict` otherwise. */
  changeNode(node: Node, change: NodeChange, signal?: AbortSignal): Promise<void>;
  listPods(nodeName: string, signal?: AbortSignal): Promise<Pod[]>;
  /** graceSeconds undefined = the pod's own. The uid guards against a new pod of the same name. */
  evict(pod: Pod, graceSeconds: number | undefined, signal?: AbortSignal): Promise<Eviction>;
  /** Past budgets and graces; only for a forced drain. */
  deletePod(pod: Pod, graceSeconds: number, signal?: AbortSignal): Promise<void>;

  readLease(name: string, signal?: AbortSignal): Promise<Lease | undefined>;
  /** Takes it, or takes it over when expired; throws `LeaseHeld` when somebody else has it. Renews when it is ours. */
  holdLease(
    name: string,
    lease: { holder: string; durationMs: number; note: string },
    signal?: AbortSignal,
  ): Promise<void>;
  /** Nothing happens when it is not ours. */
  releaseLease(name: string, holder: string, signal?: AbortSignal): Promise<void>;

  /** Readable by the cluster's operators only (a Secret). */
  readSecret(name: string, signal?: AbortSignal): Promise<Readonly<Record<string, string>> | undefined>;
  writeSecret(name: string, values: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<void>;
  deleteSecret(name: string, signal?: AbortSignal): Promise<void>;

  /**
   * By its public half. undefined = the cluster knows no such token; throws `Forbidden` where the rights do not allow to look, which is
   * no wonder: rights to secrets cannot be limited to these.
   */
  readBootstrapToken(id: string, signal?: AbortSignal): Promise<BootstrapToken | undefined>;

  /** As root in the node's own mount namespace, through a short-lived privileged pod that is always removed. */
  runOnNode(
    nodeName: string,
    script: string,
    options: { deadlineMs: number; signal?: AbortSignal },
  ): Promise<ScriptResult>;
  /** Best effort: an Event on the node, so that `kubectl describe` tells the story. */
  recordEvent(node: Node, reason: string, message: string, signal?: AbortSignal): Promise<void>;
}
