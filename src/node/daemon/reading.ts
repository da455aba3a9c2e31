// node/daemon/reading.ts: a document was read: apply it now, wait for its turn, or refuse it?
import { jitterDelayMs } from '../triggers/poll.ts';
import { withoutArrivedAnnouncement } from './announcement.ts';
import { refuseOrder, withoutEffects } from './answers.ts';
import type { DaemonState, PhaseStatus, ReadDocument, Transition, Why } from './state.ts';
import { DOCUMENT_RETRY_MS } from './work-end.ts';

export function onRead(state: DaemonState, document: ReadDocument, nowMs: number): Transition {
  if (state.work?.is !== 'reading') return withoutEffects(state);
  const { raw, order, isItsTurn } = state.work;
  const { generation, documentHash, hash, pollMs, jitterMs } = document;
  const isRetry = state.delivered?.raw === raw && state.ofDocument !== undefined;
  const isOfPerson = order !== undefined;
  const isOther = hash !== state.slots.active?.hash;
  const known = isOfPerson ? state : { ...state, delivered: { raw, generation, documentHash, hash } };
  const after = withoutArrivedAnnouncement({ ...known, pace: { ...state.pace, pollMs } }, { generation, documentHash });
  // A node that is not configured yet does not wait for a turn.
  if (!isOfPerson && !isItsTurn && isOther && state.isReady && jitterMs > 0) {
    const atMs = nowMs + jitterDelayMs(state.pace.seed, jitterMs);
    const why: Why = {
      code: 'plan/waiting-turn',
      detail: `the turn of this node is at ${new Date(atMs).toISOString()}`,
    };
    return withoutEffects({
      ...after,
      work: undefined,
      ofDocument: { phase: 'Planned', ...why },
      pending: { raw, atMs, isItsTurn: true },
    });
  }
  const applying: PhaseStatus = { phase: 'Applying', code: 'apply/running', detail: `generation ${generation}` };
  // A retry may be refused again; do not show it as Applying.
  const isShown = isOther && (!isRetry || isItsTurn);
  return {
    state: { ...after, work: { is: 'applying', raw, order }, ...(isShown && { ofDocument: applying }) },
    effects: [{ do: 'apply', raw, isOrdered: isOfPerson }],
  };
}

export function onRefused(state: DaemonState, why: Why, documentHash: string | undefined, nowMs: number): Transition {
  if (state.work?.is !== 'reading') return withoutEffects(state);
  const { raw, order } = state.work;
  if (order !== undefined) return refuseOrder({ ...state, work: undefined }, order, why);
  const delivered = { raw, ...(documentHash !== undefined && { documentHash }) };
  const due = { ...state.due, retryMs: nowMs + DOCUMENT_RETRY_MS };
  const after: DaemonState = { ...state, due, work: undefined, delivered, ofDocument: { phase: 'Blocked', ...why } };
  return withoutEffects(withoutArrivedAnnouncement(after, delivered));
}
