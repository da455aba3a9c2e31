// node/apply/contract.ts: how does a node get from one document to the next, and back, without ever being in between? What
// goes in (an assignment), what is kept (slots, generations), what is asked of the world (deps, probes), what comes out. Types only.
import type { Clock } from '../../base/clock.ts';
import type { RunCommand } from '../../base/command.ts';
import type { JsonObject } from '../../schema/json.ts';
import type { Change, Plan } from '../desired/tree.ts';
import type { NodeConfig } from '../document/config.ts';
import type { Facts } from '../observe/facts.ts';
import type { SeenNode } from '../observe/live-values.ts';
import type { Look } from '../observe/look.ts';
import type { Verdict } from '../plan/policy.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { NodeDisk } from './disk.ts';

/** A document that was read and accepted for this node: `parseDocument` made it, `facts` are what it was read with. */
export interface Assignment {
  /** As it was delivered. Kept with the generation; it may hold secrets. */
  document: Uint8Array;
  /** Of what was delivered, however it was written. */
  documentHash: string;
  /** Of what comes of it on this node, overrides included: what a generation is known by. */
  hash: string;
  /** `config.generation` is the document's own number. */
  config: NodeConfig;
  /** Kept with the generation: a way back needs no metadata service. */
  facts: Facts;
  /** For people: `azure metadata`, `file /root/node.yaml`. No secret. */
  origin: string;
}

/** One document, at one time. */
export interface Slot {
  /** Counts what was applied on this node; 0 for a document that was assigned and not applied so far. `history` shows it. */
  number: number;
  /** The document's own. */
  generation: number;
  hash: string;
  documentHash: string;
  /** When it got into this slot. */
  atMs: number;
  /** The machine on which it did, where that one had taken the disk over: what is without, or of another, is not a clone's own. */
  vmId?: string | undefined;
}

export interface BadDocument {
  hash: string;
  generation: number;
  /** Why it was taken back. */
  code: ReasonCode;
  atMs: number;
}

export interface Slots {
  /** What the node was told last. */
  assigned?: Slot | undefined;
  /** What it runs. */
  active?: Slot | undefined;
  /** What it goes back to. Equals `active` once that was healthy for long enough. */
  lastKnownGood?: Slot | undefined;
  /** Tried and taken back; not tried again unless a person orders it. The newest last. */
  bad: readonly BadDocument[];
  /** `active` is being watched; undefined: it was found good, or there is none. */
  watch?: Watch | undefined;
}

/** What is remembered of an apply until its health is certain; survives the daemon and a reboot. */
export interface Watch {
  /** Of the generation. */
  number: number;
  /** When the last step was done. */
  sinceMs: number;
  /** kubelet was started anew at this time; what it says of the Node must be from after it. Absent: it runs as it did. */
  kubeletSinceMs?: number | undefined;
  /** It changes with a boot. */
  bootId: string;
  /** That have to run. */
  units: readonly string[];
  /** That ran before the change, and do again once it is taken back. */
  ranBefore: readonly string[];
  /** The API server answered before the change, so it has to afterwards. */
  wasApiReachable: boolean;
  /** Made before kubelet started, over a generation that was good in the cluster: nobody was asked before, but somebody has to answer. */
  wasApiReachableEarlier?: boolean | undefined;
  /** The Node was not Ready before the change, for no fault of it. */
  wasNotReady?: boolean | undefined;
  /** kubelet's whole configuration as planned, where something may compare it. */
  kubeletConfig: JsonObject;
  /** The generation to go back to; none for the first: it is watched, reported, and stays. */
  backTo?: number | undefined;
  /** The document is on trial (`update.mode: try`): without `keep()` by then it is taken back. */
  keepByMs?: number | undefined;
}

/** What `history` shows. */
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
  /** It was taken back. */
  bad?: BadDocument | undefined;
}

export interface UnitHealth {
  /** absent: no such unit · done: a oneshot that succeeded · starting: also between two attempts. */
  state: 'absent' | 'active' | 'starting' | 'inactive' | 'done' | 'failed';
  /** systemd's count of automatic restarts since the unit was last started by hand. */
  restarts: number;
}

export type NodeHealth =
  /** No credential yet, or no answer. */
  | { isReachable: false }
  /** It answers, and cannot say now: it is overloaded, or not well itself. */
  | { isReachable: true; isReady: undefined }
  /** Undefined heartbeat: the node has not registered. */
  | { isReachable: true; isReady: boolean; heartbeatMs: number | undefined };

/** What health is asked of. None of them throws: no answer is an answer. */
export interface Probes {
  units(names: readonly string[]): Promise<ReadonlyMap<string, UnitHealth>>;
  /** containerd's socket takes a connection. */
  runtimeAnswers(): Promise<boolean>;
  /** On this port of the machine; without one, on kubelet's own default. */
  kubeletHealthz(port?: number): Promise<boolean>;
  /** kubelet's /configz; undefined where nothing on this node may ask. */
  kubeletConfig(): Promise<JsonObject | undefined>;
  node(): Promise<NodeHealth>;
}

/** What only somebody with the Node's credential can do. Each rejects when it did not happen. */
export interface NodeHooks {
  /** Labels and taints, for the plan; undefined before the node has registered or when nobody answers. */
  seen(): Promise<SeenNode | undefined>;
  drain(signal?: AbortSignal): Promise<void>;
  /** Of what `drain` cordoned; a node that was cordoned by others before stays so. */
  uncordon(): Promise<void>;
  /** Undefined takes the label away. */
  setLabel(key: string, value: string | undefined): Promise<void>;
}

/** `systemDeps` in system-deps.ts makes them all but the hooks and the Node's health. */
export interface ApplyDeps {
  /** `/`, or a folder that stands in for a node. */
  root: string;
  look: Look;
  run: RunCommand;
  clock: Clock;
  /** The only way to a write: tests end the process, or the space, at any of them. */
  disk: NodeDisk;
  probes: Probes;
  node: NodeHooks;
  /** Asks for a reboot and returns, or never returns. */
  reboot(): Promise<void>;
  /** Of this boot, /proc/sys/kernel/random/boot_id. */
  bootId: string;
  /** Of this machine, where it took the disk over from another one. */
  vmId?: string | undefined;
}

/** Names are stable: `observe`, `plan`, `stage`, `commit`, `write-files`, `daemon-reload`, `restart kubelet.service` … */
export interface StepTiming {
  name: string;
  startedMs: number;
  tookMs: number;
}

/**
 * unchanged: the node is what the document asks for, nothing was done · applied: done, and `check` watches it now · verified: healthy
 * for long enough, it is the last known good · reverted: the node runs the generation it ran before · blocked, waiting: nothing was
 * done, see `code` · refused: known to be bad · failed: see `code`; the node runs what `slots.active` says.
 */
export interface ApplyOutcome {
  kind: 'unchanged' | 'applied' | 'verified' | 'reverted' | 'blocked' | 'waiting' | 'refused' | 'failed';
  code: ReasonCode;
  /** One sentence with what was seen; no secret. */
  reason: string;
  /** What was planned, where something was. */
  plan?: Plan | undefined;
  timings: readonly StepTiming[];
  slots: Slots;
}

/** Nothing was touched. */
export interface DryPlan {
  plan: Plan;
  verdict: Verdict;
}

export interface ApplyOptions {
  /** A person said so: neither the policy nor a known bad hash stops it. */
  isOrdered: boolean;
  /** Until the first step only; what has begun is finished or taken back. */
  signal?: AbortSignal | undefined;
}

/**
 * The node's configuration as a transaction. One change at a time on a machine: a second one, of this process or another, gets
 * `waiting` with `apply/busy`. Failures that a document, a disk or a command can cause are outcomes; what is thrown is a bug.
 */
export interface NodeStore {
  /**
   * At the start of the daemon, before anything else: finishes or undoes what a crash or a power cut left, and goes back when the
   * machine rebooted unasked while a change was being watched. `unchanged` when there was nothing of the kind.
   */
  recover(): Promise<ApplyOutcome>;

  /** Dry. */
  plan(assignment: Assignment, options: ApplyOptions): Promise<DryPlan>;

  /** The same document twice: no write, no restart. An apply that was interrupted before is recovered first. */
  apply(assignment: Assignment, options: ApplyOptions): Promise<ApplyOutcome>;

  /**
   * One look at the health of `active`; call it every few seconds while `slots().watch` is set. `applied` with `verify/running` or with
   * what is wrong so far, `verified` once it was good for long enough, `reverted` when it is given up, `unchanged` without a watch.
   */
  check(): Promise<ApplyOutcome>;

  /** A document on trial stays. */
  keep(): Promise<ApplyOutcome>;

  /**
   * On a clone, before `recover`: every document, every slot and a change that was cut off were the donor's, and none of it is a way back
   * for this machine. What of ours is on the disk, and what the image had in its place, is still true.
   */
  forget(): Promise<ApplyOutcome>;

  /** From disk; no lock. */
  slots(): Slots;

  /** What the node runs, as it was assigned: to start from after a boot without a metadata service. */
  active(): Assignment | undefined;

  /** The newest first. */
  listGenerations(): GenerationRecord[];

  /** By `number`; a person's order. Without a number: the last known good, or the one before what runs. */
  rollbackTo(number?: number): Promise<ApplyOutcome>;

  /** What somebody else changed of what is ours; empty when nothing was. Reads only. */
  drift(): Promise<readonly Change[]>;
}
