// node/daemon/announcement.ts: has the document that an annotation on the Node announces been delivered, and what if it
// is not?
import { FAST_FOR_MS } from '../triggers/poll.ts';
import { withNote, withoutNote } from './notes.ts';
import type { Announcement, DaemonState } from './state.ts';

/** Every change of the Node repeats the announcement. */
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
  const { announced: announcement } = state;
  if (announcement === undefined || announcement.isOverdue || nowMs < announcement.byMs) return state;
  const detail = `generation ${announcement.generation} was announced and has not been delivered in ${FAST_FOR_MS / 1000} s`;
  return withNote(
    { ...state, announced: { ...announcement, isOverdue: true } },
    { code: 'config/announced-not-delivered', detail },
  );
}

/** Fetch the metadata now, and every few seconds for a while. */
export function withFastPolling(state: DaemonState, nowMs: number): DaemonState {
  return { ...state, due: { ...state.due, fetchMs: nowMs, fastUntilMs: nowMs + FAST_FOR_MS } };
}

/** Drops the announcement if `document` is the announced one. */
export function withoutArrivedAnnouncement(
  state: DaemonState,
  document: { generation?: number; documentHash?: string },
): DaemonState {
  const { announced: announcement } = state;
  if (announcement === undefined || !isSatisfiedBy(announcement, { ...state, delivered: { raw: '', ...document } }))
    return state;
  return withoutNote({ ...state, announced: undefined }, 'config/announced-not-delivered');
}

/** The annotation stays on the Node, so the document may have been applied long ago. */
function isSatisfiedBy(
  { generation, documentHash }: Announcement,
  { slots: { active }, delivered }: Pick<DaemonState, 'slots' | 'delivered'>,
): boolean {
  const isIt = (seen: { generation?: number; documentHash?: string } | undefined) =>
    seen !== undefined &&
    (documentHash === undefined ? seen.generation === generation : seen.documentHash === documentHash);
  return isIt(active) || isIt(delivered) || (active !== undefined && generation < active.generation);
}
