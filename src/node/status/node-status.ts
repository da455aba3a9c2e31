// node/status/node-status.ts: what does the node say of itself? One document, the same in the file, over the socket and for `--json`.
// Nothing of the delivered document is in it but numbers and hashes.

import type { Slot } from '../apply/contract.ts';
import { phaseStatusOf } from '../daemon/machine.ts';
import type { DaemonState, NodePhase, Why } from '../daemon/state.ts';
import { type ReasonCode, reasonFor } from '../reason-codes.ts';

export interface NodeStatus {
  phase: NodePhase;
  code: ReasonCode;
  detail: string;
  /** What to do about it, where there is something to do. */
  next?: string | undefined;
  since: string;
  /** Beside the phase. */
  notes: readonly Why[];
  /** kubelet may start. */
  isReady: boolean;
  /** What the node was told last, what it runs, what it would go back to. */
  assigned?: SlotStatus | undefined;
  active?: SlotStatus | undefined;
  lastKnownGood?: SlotStatus | undefined;
  /** Taken back, and not tried again; the newest last. */
  bad: readonly { generation: number; hash: string; code: ReasonCode; at: string }[];
  /** Until then a document on trial has to be kept by `headstart node apply --keep`. */
  keepBy?: string | undefined;
  announced?: { generation: number; documentHash?: string | undefined } | undefined;
  /** Where documents come from. */
  source: string;
  /** The machine started from a copy of another one's disk. */
  clone?: Why | undefined;
  daemon: { pid: number; startedAt: string };
}

export interface SlotStatus {
  number: number;
  generation: number;
  hash: string;
  documentHash: string;
  at: string;
}

export type AboutDaemon = Pick<NodeStatus, 'source' | 'clone' | 'daemon'> & {
  /** How far the clock of the machine is from the one the daemon counts on: it may have been set since. */
  skewMs: number;
};

export function statusOf(state: DaemonState, { skewMs, ...about }: AboutDaemon): NodeStatus {
  const { phase, code, detail } = phaseStatusOf(state);
  const { assigned, active, lastKnownGood, bad, watch } = state.slots;
  const { next } = reasonFor(code);
  return {
    phase,
    code,
    detail,
    ...(next !== undefined && { next }),
    since: iso(state.sinceMs + skewMs),
    notes: state.notes,
    isReady: state.isReady,
    ...(assigned && { assigned: slotStatus(assigned) }),
    ...(active && { active: slotStatus(active) }),
    ...(lastKnownGood && { lastKnownGood: slotStatus(lastKnownGood) }),
    bad: bad.map(({ generation, hash, code: why, atMs }) => ({ generation, hash, code: why, at: iso(atMs) })),
    ...(watch?.keepByMs !== undefined && { keepBy: iso(watch.keepByMs) }),
    ...(state.announced && { announced: announcedOf(state.announced) }),
    ...about,
  };
}

/** For `systemctl status`, and for people. */
export function headline({ phase, code, detail }: Pick<NodeStatus, 'phase' | 'code' | 'detail'>): string {
  return `${phase}: ${detail} (${code})`;
}

function slotStatus({ number, generation, hash, documentHash, atMs }: Slot): SlotStatus {
  return { number, generation, hash, documentHash, at: iso(atMs) };
}

function announcedOf({ generation, documentHash }: NonNullable<DaemonState['announced']>): NodeStatus['announced'] {
  return { generation, ...(documentHash !== undefined && { documentHash }) };
}

/** A clock that was never set must not keep anybody from saying how things are. */
function iso(ms: number): string {
  return new Date(Math.min(Math.max(0, Math.floor(ms)), 8.64e15)).toISOString();
}
