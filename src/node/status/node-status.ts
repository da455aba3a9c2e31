// node/status/node-status.ts: the status of the node: the same document in the file, over the socket and with `--json`.
// It contains only numbers and hashes of the delivered document.

import type { Slot } from '../apply/contract.ts';
import { phaseStatusOf } from '../daemon/machine.ts';
import type { DaemonState, NodePhase, NodeStandby, Why } from '../daemon/state.ts';
import { type ReasonCode, reasonFor } from '../reason-codes.ts';

export interface NodeStatus {
  phase: NodePhase;
  code: ReasonCode;
  detail: string;
  /** What the operator can do. */
  next?: string | undefined;
  since: string;
  notes: readonly Why[];
  /** kubelet may start. */
  isReady: boolean;
  /** Set if the instance is in standby or was claimed from it. */
  standby?: StandbyStatus | undefined;
  assigned?: SlotStatus | undefined;
  active?: SlotStatus | undefined;
  lastKnownGood?: SlotStatus | undefined;
  /** Rolled back and not retried; newest last. */
  bad: readonly { generation: number; hash: string; code: ReasonCode; at: string }[];
  /** A document on trial is rolled back at this time unless `headstart node apply --keep` confirms it. */
  keepBy?: string | undefined;
  announced?: { generation: number; documentHash?: string | undefined } | undefined;
  /** Where documents come from. */
  source: string;
  /** Set if this machine is a clone. */
  clone?: Why | undefined;
  daemon: { pid: number; startedAt: string };
}

export interface StandbyStatus {
  /** pool: in a standby pool · parked: pre-provisioned by the platform. */
  where: 'pool' | 'parked';
  since: string;
  /** The metadata said so since the daemon started. */
  isConfirmed: boolean;
  /** When it was claimed; absent: it is in standby. */
  leftAt?: string | undefined;
  leftBy?: 'metadata' | 'silence' | 'order' | undefined;
  /** When kubelet could start after that. */
  joinedAt?: string | undefined;
}

export interface SlotStatus {
  number: number;
  generation: number;
  hash: string;
  documentHash: string;
  at: string;
}

export type AboutDaemon = Pick<NodeStatus, 'source' | 'clone' | 'daemon'> & {
  /** The difference between the wall clock and the daemon's monotonic clock, which changes when the wall clock is set. */
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
    ...(state.standby && { standby: standbyOf(state.standby, skewMs) }),
    ...(assigned && { assigned: slotStatus(assigned) }),
    ...(active && { active: slotStatus(active) }),
    ...(lastKnownGood && { lastKnownGood: slotStatus(lastKnownGood) }),
    bad: bad.map(({ generation, hash, code: why, atMs }) => ({ generation, hash, code: why, at: iso(atMs) })),
    ...(watch?.keepByMs !== undefined && { keepBy: iso(watch.keepByMs) }),
    ...(state.announced && { announced: announcedOf(state.announced) }),
    ...about,
  };
}

export function headline({ phase, code, detail }: Pick<NodeStatus, 'phase' | 'code' | 'detail'>): string {
  return `${phase}: ${detail} (${code})`;
}

function standbyOf({ where, sinceMs, isConfirmed, left, joinedMs }: NodeStandby, skewMs: number): StandbyStatus {
  return {
    where,
    since: iso(sinceMs + skewMs),
    isConfirmed,
    ...(left && { leftAt: iso(left.atMs + skewMs), leftBy: left.by }),
    ...(joinedMs !== undefined && { joinedAt: iso(joinedMs + skewMs) }),
  };
}

function slotStatus({ number, generation, hash, documentHash, atMs }: Slot): SlotStatus {
  return { number, generation, hash, documentHash, at: iso(atMs) };
}

function announcedOf({ generation, documentHash }: NonNullable<DaemonState['announced']>): NodeStatus['announced'] {
  return { generation, ...(documentHash !== undefined && { documentHash }) };
}

/** Clamped, so that a clock that was never set does not make `toISOString` throw. */
function iso(ms: number): string {
  return new Date(Math.min(Math.max(0, Math.floor(ms)), 8.64e15)).toISOString();
}
