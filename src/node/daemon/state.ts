// node/daemon/state.ts: the state, the events and the effects of the daemon. Types only.

import type { ApplyOutcome, Slots } from '../apply/contract.ts';
import type { StandbyReport } from '../metadata/source.ts';
import type { ReasonCode } from '../reason-codes.ts';

export type NodePhase =
  | 'Idle'
  | 'Fetching'
  | 'Planned'
  | 'Blocked'
  | 'Applying'
  | 'Verifying'
  | 'Applied'
  | 'RollingBack'
  | 'RolledBack'
  | 'Degraded';

/** `detail` is one sentence; it contains no secret. */
export interface Why {
  code: ReasonCode;
  detail: string;
}

export interface PhaseStatus extends Why {
  phase: NodePhase;
}

export interface DaemonState {
  /** Status of the last delivered document while the node does not run it. Shown instead of `ofNode`. */
  ofDocument: PhaseStatus | undefined;
  /** Status of the active document. */
  ofNode: PhaseStatus;
  /** When the visible status last changed. */
  sinceMs: number;
  /** In addition to the phase: an announced document that was not delivered, a removed document, changes for the control plane. */
  notes: readonly Why[];
  slots: Slots;
  /** The state on disk is the donor's and must not be used. */
  isForeign: boolean;
  /** The node is configured, but its saved state cannot be read: kubelet starts with the files on disk. */
  isMemoryLost: boolean;
  /** kubelet may start. */
  isReady: boolean;
  /** Set once the platform said that the instance waits to be claimed; stays set after it was claimed. */
  standby: NodeStandby | undefined;
  /** The last delivered document that was read; without `generation` if it was refused. */
  delivered: DeliveredDocument | undefined;
  announced: (Announcement & { byMs: number; isOverdue: boolean }) | undefined;
  /** The running fetch. */
  fetch: { orderId: number | undefined } | undefined;
  /** The running work on the node. */
  work: DaemonWork | undefined;
  /** A document that waits for its turn or for the running work. */
  pending: PendingDocument | undefined;
  /** Orders of operators, oldest first. */
  orders: readonly DaemonOrder[];
  due: Due;
  pace: Pace;
  isStopping: boolean;
}

/** An instance that is prepared in advance: everything is done, but kubelet starts only when it is claimed. */
export interface NodeStandby {
  /** pool: in a standby pool of its owner · parked: pre-provisioned by the platform, before it has an owner. */
  where: 'pool' | 'parked';
  sinceMs: number;
  /** The metadata said so since the daemon started. */
  isConfirmed: boolean;
  /** The machine was started or resumed while in standby, as a claim does it. */
  isWoken: boolean;
  /** Since then the metadata service does not say whether the instance is in standby. */
  silentSinceMs?: number | undefined;
  /** The node is configured, and only kubelet is missing. */
  isPrepared: boolean;
  /** When it was claimed. */
  left?: { atMs: number; by: 'metadata' | 'silence' | 'order' } | undefined;
  /** When kubelet could start after that. */
  joinedMs?: number | undefined;
}

export interface DeliveredDocument {
  /** sha256 of the bytes. */
  raw: string;
  generation?: number;
  documentHash?: string;
  hash?: string;
}

/** From annotations on the Node, written by the program that changed the metadata. */
export interface Announcement {
  generation: number;
  /** The hash that `headstart node check` prints. */
  documentHash?: string | undefined;
}

export interface PendingDocument {
  raw: string;
  atMs: number;
  /** `atMs` is its turn: do not delay it again. */
  isItsTurn: boolean;
}

export type DaemonWork =
  | { is: 'recovering' }
  | { is: 'reconciling' }
  | { is: 'reading'; raw: string; order?: ApplyOrder | undefined; isItsTurn: boolean }
  | { is: 'applying'; raw: string; order?: ApplyOrder | undefined }
  | { is: 'checking' }
  | { is: 'rolling-back'; order: DaemonOrder }
  | { is: 'keeping'; order: DaemonOrder };

export type DaemonOrder =
  | ApplyOrder
  | { id: number; what: 'roll-back'; to?: number | undefined }
  | { id: number; what: 'keep' };

/** Without `raw`: apply the document in the metadata. */
export interface ApplyOrder {
  id: number;
  what: 'apply';
  raw?: string | undefined;
}

/** Absolute times; undefined: not scheduled. */
export interface Due {
  fetchMs: number;
  reconcileMs: number | undefined;
  checkMs: number | undefined;
  /** Earliest retry of a document that waits or could not be applied. */
  retryMs: number;
  /** Earliest retry of a document that was rolled back for an external reason. */
  retryRolledBackMs: number;
  /** Until then, fetch every few seconds. */
  fastUntilMs: number;
}

export interface Pace {
  seed: number;
  pollMs: number;
  polls: number;
}

export type DaemonEvent = { nowMs: number } & (
  | {
      is: 'started';
      slots: Slots;
      isForeign: boolean;
      seed: number;
      isMemoryLost?: boolean | undefined;
      /** The instance was in standby when an earlier daemon ended. */
      standby?: Pick<NodeStandby, 'where' | 'sinceMs' | 'isWoken'> | undefined;
    }
  | { is: 'time' }
  /** SIGHUP or a request over the socket: fetch now. */
  | { is: 'signalled'; by: string }
  | { is: 'announced'; announcement: Announcement }
  /** The machine slept: the wall clock jumped against the monotonic clock. */
  | { is: 'resumed' }
  /** An operator lets a node in standby join. */
  | { is: 'told-to-join' }
  | { is: 'ordered'; order: DaemonOrder }
  | { is: 'fetched'; raw: string | undefined; standby?: StandbyReport | undefined }
  | { is: 'fetch-trouble'; why: Why; isDegraded: boolean }
  | { is: 'fetch-failed'; why: Why }
  | { is: 'read'; document: ReadDocument }
  | { is: 'refused'; why: Why; documentHash?: string | undefined }
  | { is: 'finished'; outcome: ApplyOutcome; note?: Why | undefined }
  /** The order is impossible on this node, or the saved state cannot be read; nothing was changed. */
  | { is: 'declined'; error: OrderError }
  /** An unexpected error in a fetch or in work. */
  | { is: 'broke'; lane: 'fetch' | 'work'; detail: string }
  | { is: 'stop' }
);

export interface ReadDocument {
  generation: number;
  documentHash: string;
  hash: string;
  pollMs: number;
  jitterMs: number;
}

export type DaemonEffect =
  | { do: 'recover' }
  /** Cancels a running fetch. An ordered fetch has a deadline. */
  | { do: 'fetch'; isOrdered: boolean }
  /** Is the document valid for this node? */
  | { do: 'read'; raw: string; allowsOlder: boolean }
  | { do: 'apply'; raw: string; isOrdered: boolean }
  /** Apply the active document again: repair drift, restore what a boot cleared. */
  | { do: 'reconcile' }
  | { do: 'check' }
  | { do: 'roll-back'; to: number | undefined }
  | { do: 'keep' }
  /** Save that the instance is in standby, or that it no longer is; done before any later effect. */
  | { do: 'remember-standby'; standby: Pick<NodeStandby, 'where' | 'sinceMs'> | undefined }
  /** Everything but kubelet is done. */
  | { do: 'report-prepared' }
  | { do: 'report-ready' }
  | { do: 'publish' }
  | { do: 'answer'; id: number; result: OrderResult }
  | { do: 'end' };

/** With `refused` or `error`, nothing was changed. */
export type OrderResult = { outcome: ApplyOutcome } | { refused: Why } | { error: OrderError };

/** The fields of a UserError. */
export interface OrderError {
  code: string;
  message: string;
  next?: string | undefined;
}

export interface Transition {
  state: DaemonState;
  effects: readonly DaemonEffect[];
}
