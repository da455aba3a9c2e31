// node/apply/contract.ts: how does a node change from one document to the next, or roll back, without stopping
// half-way? The input (an assignment), what is persisted (slots, generations), the dependencies (deps, probes) and the
// outcome. Types only.
import type { Clock } from '../../base/clock.ts';
import type { RunCommand } from '../../base/command.ts';
import type { JsonObject } from '../../schema/json.ts';
import type { Plan, PlannedChange } from '../desired/tree.ts';
import type { NodeConfig } from '../document/config.ts';
import type { Facts } from '../observe/facts.ts';
import type { HostReader } from '../observe/host-reader.ts';
import type { NodeLabelsAndTaints } from '../observe/live-values.ts';
import type { Verdict } from '../plan/policy.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { NodeDisk } from './disk.ts';

/** A document that `parseDocument` accepted for this node. */
export interface Assignment {
  /** The delivered bytes. Kept with the generation; they may contain secrets. */
  document: Uint8Array;
  /** Hash of the delivered document, independent of its formatting. */
  documentHash: string;
  /** Hash of the effective configuration on this node, overrides included. Identifies a generation. */
  hash: string;
  /** `config.generation` is the number in the document. */
  config: NodeConfig;
  /** Kept with the generation, so that a rollback does not need the metadata service. */
  facts: Facts;
  /** For display: `azure metadata`, `file /root/node.yaml`. Contains no secret. */
  origin: string;
}

export interface Slot {
  /** Counts the documents applied on this node; 0 for an assigned document that was not applied yet. `history` shows it. */
  number: number;
  /** The number in the document. */
  generation: number;
  hash: string;
  documentHash: string;
  /** When the document was put into this slot. */
  atMs: number;
  /** The VM that wrote the slot, if it is a clone. On a clone, a slot without this id or with another id is the donor's. */
  vmId?: string | undefined;
}

export interface BadDocument {
  hash: string;
  generation: number;
  /** Why it was rolled back. */
  code: ReasonCode;
  atMs: number;
}

export interface Slots {
  /** The last document assigned to the node. */
  assigned?: Slot | undefined;
  /** The document the node runs. */
  active?: Slot | undefined;
  /** The rollback target. Equals `active` once that was healthy for long enough. */
  lastKnownGood?: Slot | undefined;
  /** Rolled back, and not retried unless an operator orders it. Newest last. */
  bad: readonly BadDocument[];
  /** Set while the health of `active` is being watched. */
  watch?: Watch | undefined;
}

/** What the health checks after an apply need. Persisted, so it survives a restart of the daemon and a reboot. */
export interface Watch {
  /** The number of the watched generation. */
  number: number;
  /** When the last step ended. */
  sinceMs: number;
  /**
   * Older heartbeats of the Node do not count, because kubelet was started or restarted after them. Absent: the change
   * did not restart kubelet.
   */
  kubeletSinceMs?: number | undefined;
  /** The kernel's boot id: a different one later means that the machine rebooted. */
  bootId: string;
  /** Units that must run. */
  units: readonly string[];
  /** Units that ran before the change; a rollback starts them again. */
  ranBefore: readonly string[];
  /** The API server answered before the change, so it must answer after it. */
  wasApiReachable: boolean;
  /**
   * The change was made before kubelet started, so the API server was not probed, but the previous generation was
   * verified in the cluster.
   */
  wasApiReachableEarlier?: boolean | undefined;
  /** The Node was already not Ready before the change. */
  wasNotReady?: boolean | undefined;
  /** kubelet's complete planned configuration, for comparison with what kubelet reports. */
  kubeletConfig: JsonObject;
  /** The generation to roll back to. The first generation has none: it is watched and reported, but stays. */
  backTo?: number | undefined;
  /** The document is on trial (`update.mode: try`) and is rolled back at this time unless `keep()` is called before. */
  keepByMs?: number | undefined;
}

/** One row of `history`. */
export interface GenerationRecord {
  number: number;
  generation: number;
  hash: string;
  documentHash: string;
  id?: string | undefined;
  origin: string;
  appliedMs: number;
  isActive: boolean;
  isLastKnownGood: boolean;
  /** Set if it was rolled back. */
  bad?: BadDocument | undefined;
}

export interface UnitHealth {
  /** absent: the unit does not exist · done: a oneshot that succeeded · starting: also while systemd waits to restart it. */
  state: 'absent' | 'active' | 'starting' | 'inactive' | 'done' | 'failed';
  /** systemd's count of automatic restarts since the unit was last started manually. */
  restarts: number;
}

export type NodeHealth =
  /** kubelet has no credential yet, or the API server did not answer. */
  | { isReachable: false }
  /** The API server answered with an error: it is overloaded or unhealthy. */
  | { isReachable: true; isReady: undefined }
  /** `heartbeatMs` is undefined when the node has not registered. */
  | { isReachable: true; isReady: boolean; heartbeatMs: number | undefined };

/** The health probes. None of them throws: a probe that gets no answer returns a negative result. */
export interface Probes {
  units(names: readonly string[]): Promise<ReadonlyMap<string, UnitHealth>>;
  /** Whether containerd's socket accepts a connection. */
  runtimeAnswers(): Promise<boolean>;
  /** Default: kubelet's default port. */
  kubeletHealthz(port?: number): Promise<boolean>;
  /** kubelet's /configz; undefined where this node is not allowed to read it. */
  kubeletConfig(): Promise<JsonObject | undefined>;
  node(): Promise<NodeHealth>;
}

/** Operations that need the Node's credential. Each rejects when it failed. */
export interface NodeHooks {
  /** Labels and taints, for the plan; undefined before the node has registered or when the API server does not answer. */
  seen(): Promise<NodeLabelsAndTaints | undefined>;
  drain(signal?: AbortSignal): Promise<void>;
  /** Undoes only the cordon of `drain`; a node that an operator had cordoned before stays cordoned. */
  uncordon(): Promise<void>;
  /** Undefined removes the label. */
  setLabel(key: string, value: string | undefined): Promise<void>;
}

/** `systemDeps` in system-deps.ts provides all of them except the hooks and the Node's health. */
export interface ApplyDeps {
  /** `/`, or a folder that replaces it in tests. */
  root: string;
  host: HostReader;
  run: RunCommand;
  clock: Clock;
  /** Every write goes through it, so that a test can kill the process or fill the disk at any write. */
  disk: NodeDisk;
  probes: Probes;
  node: NodeHooks;
  /** Requests a reboot; may never return. */
  reboot(): Promise<void>;
  /** From /proc/sys/kernel/random/boot_id. */
  bootId: string;
  /** The id of this VM, if it is a clone. */
  vmId?: string | undefined;
}

/** Names are stable: `observe`, `plan`, `stage`, `commit`, `write-files`, `daemon-reload`, `restart kubelet.service` … */
export interface StepTiming {
  name: string;
  startedMs: number;
  tookMs: number;
}

/**
 * unchanged: the node already matched the document · applied: the change is made, and `check` watches it · verified: healthy for long
 * enough, now the last known good · reverted: the node runs the previous generation · blocked, waiting: nothing was changed, see `code` ·
 * refused: the document was rolled back before · failed: see `code`; the node runs `slots.active`.
 */
export interface ApplyOutcome {
  kind: 'unchanged' | 'applied' | 'verified' | 'reverted' | 'blocked' | 'waiting' | 'refused' | 'failed';
  code: ReasonCode;
  /** One sentence with the observed values; contains no secret. */
  reason: string;
  plan?: Plan | undefined;
  timings: readonly StepTiming[];
  slots: Slots;
}

export interface DryPlan {
  plan: Plan;
  verdict: Verdict;
}

export interface ApplyOptions {
  /** An operator ordered it: it overrides the update policy and the list of bad documents. */
  isOrdered: boolean;
  /** Only effective before the first step; a change that has begun is finished or rolled back. */
  signal?: AbortSignal | undefined;
}

/**
 * Changes the node's configuration in transactions. Only one runs at a time: a second one, from this process or another, returns
 * `waiting` with `apply/busy`. Failures caused by a document, a disk or a command are outcomes, not errors.
 */
export interface NodeStore {
  /**
   * The daemon calls this first when it starts. Finishes or rolls back a change that a crash or a power cut interrupted, and rolls back
   * a watched change if the machine rebooted unexpectedly. `unchanged` when there was nothing to recover.
   */
  recover(): Promise<ApplyOutcome>;

  /** Changes nothing. */
  plan(assignment: Assignment, options: ApplyOptions): Promise<DryPlan>;

  /** Applying the same document twice writes and restarts nothing. Recovers an interrupted apply first. */
  apply(assignment: Assignment, options: ApplyOptions): Promise<ApplyOutcome>;

  /**
   * Checks the health of `active` once; call it every few seconds while `slots().watch` is set. Returns `applied` with `verify/running` or
   * with the current problem, `verified` once the node was healthy for long enough, `reverted` after a rollback, `unchanged` without a watch.
   */
  check(): Promise<ApplyOutcome>;

  /** Confirms a document on trial, so that it is not rolled back when the trial ends. */
  keep(): Promise<ApplyOutcome>;

  /**
   * Called on a clone, before `recover`. Discards the donor's documents, slots and interrupted change: this machine must not roll back to
   * them. Keeps the ownership record, because the files on the disk and the originals of the image are the same.
   */
  forget(): Promise<ApplyOutcome>;

  /** Reads the disk without taking the lock. */
  slots(): Slots;

  /** The assignment the node runs. Lets the daemon start without the metadata service after a boot. */
  active(): Assignment | undefined;

  /** Newest first. */
  listGenerations(): GenerationRecord[];

  /** Ordered by an operator. Default: the last known good, or the generation before `active` if that is `active`. */
  rollbackTo(number?: number): Promise<ApplyOutcome>;

  /** The changes to owned files that headstart did not make. Changes nothing. */
  drift(): Promise<readonly PlannedChange[]>;
}
