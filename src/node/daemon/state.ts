// node/daemon/state.ts: what does the daemon know, what can happen to it, and what can it decide to do? The words of machine.ts; types only.

import type { ApplyOutcome, Slots } from '../apply/contract.ts';
import type { ReasonCode } from '../reason-codes.ts';

/** What the node says of itself. */
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

/** Why, in one code and one sentence without secrets. */
export interface Why {
  code: ReasonCode;
  detail: string;
}

export interface PhaseStatus extends Why {
  phase: NodePhase;
}

export interface DaemonState {
  /** Of the document that was delivered last, while the node does not run it. Goes before what is said of the node. */
  ofDocument: PhaseStatus | undefined;
  /** Of what the node runs. */
  ofNode: PhaseStatus;
  /** Since when it says so. */
  sinceMs: number;
  /** Beside the phase: what was announced and not delivered, a document that is gone, what only the control plane can do. */
  notes: readonly Why[];
  slots: Slots;
  /** What is on disk was configured for the machine this one is a copy of: not ours to start from. */
  isForeign: boolean;
  /** The node was configured, and what it remembers of that cannot be read: kubelet starts with what is on the disk. */
  isMemoryLost: boolean;
  /** kubelet may start. */
  isReady: boolean;
  /** What of the delivered bytes was looked at last, and what it said if it could be read. */
  delivered: DeliveredDocument | undefined;
  announced: (Announcement & { byMs: number; isOverdue: boolean }) | undefined;
  /** The one request for metadata that is under way. */
  fetch: { orderId: number | undefined } | undefined;
  /** The one thing that is being done to the node. */
  work: DaemonWork | undefined;
  /** A document that waits for its turn, or for the work to end. */
  pending: PendingDocument | undefined;
  /** What people asked for, the oldest first. */
  orders: readonly DaemonOrder[];
  due: Due;
  pace: Pace;
  isStopping: boolean;
}

export interface DeliveredDocument {
  /** sha256 of the bytes. */
  raw: string;
  generation?: number;
  documentHash?: string;
  hash?: string;
}

/** By whoever changed the metadata, on the Node. */
export interface Announcement {
  generation: number;
  /** As `headstart node check` prints it. */
  documentHash?: string | undefined;
}

export interface PendingDocument {
  raw: string;
  atMs: number;
  /** It had its turn. */
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

/** With `raw`: that document; without: the one in the metadata. */
export interface ApplyOrder {
  id: number;
  what: 'apply';
  raw?: string | undefined;
}

/** Absolute times; undefined = not by itself. */
export interface Due {
  fetchMs: number;
  reconcileMs: number | undefined;
  checkMs: number | undefined;
  /** A document that could not be applied, or has to wait, is not looked at again before. */
  retryMs: number;
  /** One that was taken back, and is not to blame for it, is not tried again before. */
  retryRolledBackMs: number;
  /** Until then the metadata is asked every few seconds. */
  fastUntilMs: number;
}

export interface Pace {
  seed: number;
  pollMs: number;
  polls: number;
}

export type DaemonEvent = { nowMs: number } & (
  | { is: 'started'; slots: Slots; isForeign: boolean; seed: number; isMemoryLost?: boolean | undefined }
  | { is: 'time' }
  /** Somebody says that there is something new: SIGHUP, the socket. */
  | { is: 'signalled'; by: string }
  | { is: 'announced'; announcement: Announcement }
  | { is: 'ordered'; order: DaemonOrder }
  | { is: 'fetched'; raw: string | undefined }
  | { is: 'fetch-trouble'; why: Why; isDegraded: boolean }
  | { is: 'fetch-failed'; why: Why }
  | { is: 'read'; document: ReadDocument }
  | { is: 'refused'; why: Why; documentHash?: string | undefined }
  | { is: 'finished'; outcome: ApplyOutcome; note?: Why | undefined }
  /** What was asked for makes no sense on this node, or what it takes cannot be read; nothing was done. */
  | { is: 'declined'; error: OrderError }
  /** Something that nobody foresaw, in what was being done. */
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
  /** One that is under way is given up. A person waits no longer than a person would. */
  | { do: 'fetch'; isOrdered: boolean }
  /** The document with these bytes: is it one for this node? */
  | { do: 'read'; raw: string; allowsOlder: boolean }
  /** The document with these bytes, as it was read for this node. */
  | { do: 'apply'; raw: string; isOrdered: boolean }
  /** What runs, again: what somebody else changed, what did not outlive the boot. */
  | { do: 'reconcile' }
  | { do: 'check' }
  | { do: 'roll-back'; to: number | undefined }
  | { do: 'keep' }
  | { do: 'report-ready' }
  | { do: 'publish' }
  | { do: 'answer'; id: number; result: OrderResult }
  | { do: 'end' };

/** Refused, error: nothing was done. */
export type OrderResult = { outcome: ApplyOutcome } | { refused: Why } | { error: OrderError };

/** As a UserError says it. */
export interface OrderError {
  code: string;
  message: string;
  next?: string | undefined;
}

export interface Transition {
  state: DaemonState;
  effects: readonly DaemonEffect[];
}
