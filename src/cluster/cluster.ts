// cluster/cluster.ts: what does a run need from the cluster of a pool's nodes? Contract of kubernetes/, none.ts and fake/.
import type { Eviction } from './drain/next-evictions.ts';

export type { Eviction } from './drain/next-evictions.ts';

export interface Node {
  name: string;
  uid: string;
  /** The condition of a later change. */
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
  /** The boot from which kubelet last reported; absent if unknown. */
  bootId?: string;
}

export interface Pod {
  namespace: string;
  name: string;
  uid: string;
  /** Kind of the controller; absent: nothing would recreate the pod. */
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
  /** What the holder does, for the error that others get. */
  note: string;
}

/** The public facts of a bootstrap token, never its secret. */
export interface BootstrapToken {
  /** Absent: it does not expire. */
  expiresMs?: number;
  /** A kubelet may log in with it. */
  isForJoining: boolean;
}

/** Reads a node without changing it, for `boot collect --node`. */
export interface NodeReader {
  /** The Node as JSON; undefined: there is none of this name. */
  readObject(name: string, signal?: AbortSignal): Promise<string | undefined>;
  /** The output of a script that sees the node's files read-only. Leaves nothing behind, also after a failure or an abort. */
  runReadOnly(
    nodeName: string,
    script: string,
    limits: { deadlineMs: number; signal?: AbortSignal | undefined },
  ): Promise<Buffer>;
}

/** The output and exit code of a script on a node. */
export interface ScriptResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface Cluster {
  readNode(name: string, signal?: AbortSignal): Promise<Node | undefined>;
  listNodes(signal?: AbortSignal): Promise<Node[]>;
  /** Only if the node has not changed since it was read (uid and resourceVersion); throws `Conflict` otherwise. */
  changeNode(node: Node, change: NodeChange, signal?: AbortSignal): Promise<void>;
  listPods(nodeName: string, signal?: AbortSignal): Promise<Pod[]>;
  /** graceSeconds undefined: the pod's own. The uid protects a new pod of the same name. */
  evict(pod: Pod, graceSeconds: number | undefined, signal?: AbortSignal): Promise<Eviction>;
  /** Ignores budgets and grace periods; only for a forced drain. */
  deletePod(pod: Pod, graceSeconds: number, signal?: AbortSignal): Promise<void>;

  readLease(name: string, signal?: AbortSignal): Promise<Lease | undefined>;
  /** Takes, renews or, if expired, takes over the lease; throws `LeaseHeld` if another holder has it. */
  holdLease(
    name: string,
    lease: { holder: string; durationMs: number; note: string },
    signal?: AbortSignal,
  ): Promise<void>;
  /** Does nothing if another holder has it. */
  releaseLease(name: string, holder: string, signal?: AbortSignal): Promise<void>;

  /** Readable by the cluster's operators only (a Secret). */
  readSecret(name: string, signal?: AbortSignal): Promise<Readonly<Record<string, string>> | undefined>;
  writeSecret(name: string, values: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<void>;
  deleteSecret(name: string, signal?: AbortSignal): Promise<void>;

  /**
   * By its public id. undefined: it does not exist. Throws `Forbidden` without permission, which is common: RBAC cannot
   * grant access to the Secrets of bootstrap tokens without access to other Secrets.
   */
  readBootstrapToken(id: string, signal?: AbortSignal): Promise<BootstrapToken | undefined>;

  /** As root in the node's own mount namespace, through a short-lived privileged pod that is always removed. */
  runOnNode(
    nodeName: string,
    script: string,
    options: { deadlineMs: number; signal?: AbortSignal },
  ): Promise<ScriptResult>;
  /** Best effort: an Event on the node, which `kubectl describe` shows. */
  recordEvent(node: Node, reason: string, message: string, signal?: AbortSignal): Promise<void>;
}
