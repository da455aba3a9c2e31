// node/daemon/announcement.ts: a new document was announced on the Node: has it arrived, and what if it does not?
import { FAST_FOR_MS } from '../triggers/poll.ts';
import { withNote, withoutNote } from './notes.ts';
import type { Announcement, DaemonState } from './state.ts';

/** The same one comes again with every change of the Node. */
export function onAnnounced(
  state: DaemonState,
  { generation, documentHash }: Announcement,
  nowMs: number,
): DaemonState {
  const known = state.announced;
  if (known?.generation === generation && known.documentHash === documentHash) return state;
  const others = withoutNote(state, 'config/announced-not-delivered');
  if (isSatisfiedBy({ generation, documentHash }, state)) return { ...others, announced: undefined };
  const next = { generation, documentHash, byMs: nowMs + FAST_FOR_MS, isOverdue: false };
  return withFastPolling({ ...others, announced: next }, nowMs);
}

export function noteIfOverdue(state: DaemonState, nowMs: number): DaemonState {
  const { announced: told } = state;
  if (told === undefined || told.isOverdue || nowMs < told.byMs) return state;
  const detail = `generation ${told.generation} was announced and has not been delivered in ${FAST_FOR_MS / 1000} s`;
  return withNote(
    { ...state, announced: { ...told, isOverdue: true } },
    { code: 'config/announced-not-delivered', detail },
  );
}

/** The metadata are asked at once, and every few seconds for a while. */
export function withFastPolling(state: DaemonState, nowMs: number): DaemonState {
  return { ...state, due: { ...state.due, fetchMs: nowMs, fastUntilMs: nowMs + FAST_FOR_MS } };
}

/** A document arrived: it may be the announced one. */
export function withoutArrivedAnnouncement(
  state: DaemonState,
  document: { generation?: number; documentHash?: string },
): DaemonState {
  const { announced: told } = state;
  if (told === undefined || !isSatisfiedBy(told, { ...state, delivered: { raw: '', ...document } })) return state;
  return withoutNote({ ...state, announced: undefined }, 'config/announced-not-delivered');
}

/** It may long be in force: the annotation stays on the Node. */
function isSatisfiedBy(
  { generation, documentHash }: Announcement,
  { slots: { active }, delivered }: Pick<DaemonState, 'slots' | 'delivered'>,
): boolean {
  const isIt = (seen: { generation?: number; documentHash?: string } | undefined) =>
    seen !== undefined &&
    (documentHash === undefined ? seen.generation === generation : seen.documentHash === documentHash);
  return isIt(active) || isIt(delivered) || (active !== undefined && generation < active.generation);
}
