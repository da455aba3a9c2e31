// node/daemon/work-end.ts: a piece of work ended, with an outcome or without: what is done next, and when; and may kubelet start?
import { isReasonCode } from '../reason-codes.ts';
import { refusalAnswer, withoutEffects } from './answers.ts';
import { isConfigured, onFetchFailed } from './delivery.ts';
import { withNote, withoutNote } from './notes.ts';
import type { DaemonEffect, DaemonEvent, DaemonState, OrderError, Transition, Why } from './state.ts';
import { statusAfter } from './status-after.ts';

/** What is put right although nobody changed the document. */
const RECONCILE_MS = 600_000;
/** Each look takes the processor away from a kubelet that starts. */
const CHECK_MS = 5000;
/** A document that could not be applied is not read again before. */
export const DOCUMENT_RETRY_MS = 30_000;
/** Its pods were disturbed once already. */
const ROLLED_BACK_RETRY_MS = 3_600_000;
/** A document that is to be applied at a boot is waited for this long; then the node starts with what it has. */
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
  // As soon as something was applied for this machine, it is this machine's.
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
  // At a boot what runs is put right at once, unless something was left for this boot.
  const isStaged = slots.assigned !== undefined && slots.assigned.hash !== slots.active.hash;
  return { ...due, checkMs, reconcileMs: isForeign ? undefined : nowMs + (isStaged ? STAGED_WAIT_MS : 0) };
}

/** kubelet may start once what the node runs has been put right, or could not be; never before anything was applied. */
function readyAfter(state: DaemonState, work: string, effects: readonly DaemonEffect[]): Transition {
  // Without a memory there is nothing to put right.
  const isTried = state.isMemoryLost || work === 'reconciling' || work === 'applying' || work === 'rolling-back';
  if (state.isReady || !isConfigured(state) || !isTried) return { state, effects };
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

/** Work that came to no outcome. */
function workFailed(state: DaemonState, why: Why, nowMs: number): Transition {
  const { work } = state;
  if (work === undefined) return withoutEffects(state);
  // Work that was called off because we end is no news of the node.
  const shown = state.isStopping ? {} : { ofDocument: undefined, ofNode: { phase: 'Degraded', ...why } as const };
  const after: DaemonState = { ...state, work: undefined, ...shown };
  const answer = 'order' in work && work.order ? refusalAnswer(work.order, why) : [];
  // A document that cannot be read keeps nobody from putting right what runs.
  if (work.is === 'reading') return { state: after, effects: answer };
  // Not again at once: it would break again.
  const due = { ...state.due, checkMs: state.slots.watch && nowMs + RECONCILE_MS, reconcileMs: nowMs + RECONCILE_MS };
  return readyAfter({ ...after, due }, work.is === 'recovering' ? 'reconciling' : work.is, answer);
}
