// node/daemon/work-end.ts: work on the node ended: what is due next, and may kubelet start?
import { isReasonCode } from '../reason-codes.ts';
import { refusalAnswer, withoutEffects } from './answers.ts';
import { isConfigured, onFetchFailed } from './delivery.ts';
import { withNote, withoutNote } from './notes.ts';
import { prepared } from './standby/decide-join.ts';
import type { DaemonEffect, DaemonEvent, DaemonState, OrderError, Transition, Why } from './state.ts';
import { statusAfter } from './status-after.ts';

/** Interval of reconciles. */
const RECONCILE_MS = 600_000;
/** Interval of health checks. A check takes CPU time from a starting kubelet. */
const CHECK_MS = 5000;
/** Retry of a document that waits or could not be applied. */
export const DOCUMENT_RETRY_MS = 30_000;
/** Retry of a document that was rolled back for an external reason; long, because every attempt disturbs pods. */
const ROLLED_BACK_RETRY_MS = 3_600_000;
/** At a boot, wait this long for a staged document; then start with the active one. */
const STAGED_WAIT_MS = 30_000;

export function onFinished(
  found: DaemonState,
  { outcome, note }: Extract<DaemonEvent, { is: 'finished' }>,
  nowMs: number,
): Transition {
  const { work } = found;
  if (work === undefined) return withoutEffects(found);
  const before = work.is === 'reconciling' ? withKeptAsApplied(found, note) : found;
  const { slots } = outcome;
  // Once a document was applied on this machine, the state is no longer the donor's.
  const isDone = outcome.kind === 'unchanged' || outcome.kind === 'applied' || outcome.kind === 'verified';
  const isForeign = before.isForeign && !(work.is === 'applying' && isDone);
  const isMemoryLost = before.isMemoryLost && (outcome.kind === 'failed' || outcome.kind === 'waiting');
  const state: DaemonState = {
    ...before,
    ...statusAfter(before, work.is, outcome),
    slots,
    isForeign,
    isMemoryLost,
    work: undefined,
    due: {
      ...dueAfter({ ...before, slots, isForeign, isMemoryLost }, work.is, nowMs),
      retryMs: nowMs + DOCUMENT_RETRY_MS,
      ...(outcome.kind === 'reverted' && { retryRolledBackMs: nowMs + ROLLED_BACK_RETRY_MS }),
    },
  };
  const answer: readonly DaemonEffect[] =
    'order' in work && work.order ? [{ do: 'answer', id: work.order.id, result: { outcome } }] : [];
  return readyAfter(state, work.is, answer);
}

function withKeptAsApplied(state: DaemonState, note: Why | undefined): DaemonState {
  return note === undefined ? withoutNote(state, 'config/kept-as-applied') : withNote(state, note);
}

function dueAfter(
  { due, slots, isForeign, isMemoryLost }: DaemonState,
  work: string,
  nowMs: number,
): DaemonState['due'] {
  const checkMs = slots.watch && nowMs + (work === 'recovering' ? 0 : CHECK_MS);
  if (slots.active === undefined)
    return { ...due, checkMs, reconcileMs: isMemoryLost ? nowMs + RECONCILE_MS : undefined };
  if (work === 'checking' && due.reconcileMs !== undefined) return { ...due, checkMs };
  if (work !== 'recovering') return { ...due, checkMs, reconcileMs: nowMs + RECONCILE_MS };
  // At a boot, reconcile immediately, unless a document was staged for this boot.
  const isStaged = slots.assigned !== undefined && slots.assigned.hash !== slots.active.hash;
  return { ...due, checkMs, reconcileMs: isForeign ? undefined : nowMs + (isStaged ? STAGED_WAIT_MS : 0) };
}

/** kubelet may start after the first reconcile, apply or rollback, even a failed one, if the node is configured. */
function readyAfter(state: DaemonState, work: string, effects: readonly DaemonEffect[]): Transition {
  // Without the saved state there is nothing to reconcile.
  const isTried = state.isMemoryLost || work === 'reconciling' || work === 'applying' || work === 'rolling-back';
  if (state.isReady || !isConfigured(state) || !isTried) return { state, effects };
  if (state.standby !== undefined) return prepared(state, effects);
  return { state: { ...state, isReady: true }, effects: [{ do: 'report-ready' }, ...effects] };
}

export function onDeclined(state: DaemonState, error: OrderError, nowMs: number): Transition {
  const { work } = state;
  if (work !== undefined && 'order' in work && work.order !== undefined) {
    const answer: DaemonEffect = { do: 'answer', id: work.order.id, result: { error } };
    return { state: { ...state, work: undefined, ofDocument: undefined }, effects: [answer] };
  }
  return workFailed(
    state,
    { code: isReasonCode(error.code) ? error.code : 'daemon/broke', detail: error.message },
    nowMs,
  );
}

export function onBroke(
  state: DaemonState,
  { lane, detail }: Extract<DaemonEvent, { is: 'broke' }>,
  nowMs: number,
): Transition {
  const why: Why = { code: 'daemon/broke', detail };
  return lane === 'fetch' ? onFetchFailed(state, why, nowMs) : workFailed(state, why, nowMs);
}

/** Work that ended without an outcome. */
function workFailed(state: DaemonState, why: Why, nowMs: number): Transition {
  const { work } = state;
  if (work === undefined) return withoutEffects(state);
  // Work that was aborted because the daemon stops does not change the status.
  const shown = state.isStopping ? {} : { ofDocument: undefined, ofNode: { phase: 'Degraded', ...why } as const };
  const after: DaemonState = { ...state, work: undefined, ...shown };
  const answer = 'order' in work && work.order ? refusalAnswer(work.order, why) : [];
  // A document that cannot be read does not delay the reconcile.
  if (work.is === 'reading') return { state: after, effects: answer };
  // Not immediately: it would fail again.
  const due = { ...state.due, checkMs: state.slots.watch && nowMs + RECONCILE_MS, reconcileMs: nowMs + RECONCILE_MS };
  return readyAfter({ ...after, due }, work.is === 'recovering' ? 'reconciling' : work.is, answer);
}
