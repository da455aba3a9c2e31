// node/daemon/machine.ts: what does the daemon do when something happens? Pure: takes a state and an event, returns the
// next state and effects. At most one fetch and one piece of work on the node run at the same time.
import { noteIfOverdue, onAnnounced, withFastPolling } from './announcement.ts';
import { refusalAnswer, withoutEffects } from './answers.ts';
import { onFetched, onFetchFailed, withFetchTrouble } from './delivery.ts';
import { onRead, onRefused } from './reading.ts';
import {
  onResumed,
  onToldToJoin,
  silenceOverMs,
  startStandby,
  withJoin,
  withSilence,
  withSilenceOver,
} from './standby/decide-join.ts';
import { shownInStandby } from './standby/shown-status.ts';
import { checkDueMs, startFetch, startWork } from './start.ts';
import type { DaemonEvent, DaemonOrder, DaemonState, PhaseStatus, Transition } from './state.ts';
import { onBroke, onDeclined, onFinished } from './work-end.ts';

const MAX_ORDERS = 8;

export const INITIAL: DaemonState = {
  ofDocument: undefined,
  ofNode: { phase: 'Idle', code: 'metadata/waiting', detail: 'starting' },
  sinceMs: 0,
  notes: [],
  slots: { bad: [] },
  isForeign: false,
  isMemoryLost: false,
  isReady: false,
  standby: undefined,
  delivered: undefined,
  announced: undefined,
  fetch: undefined,
  work: undefined,
  pending: undefined,
  orders: [],
  due: { fetchMs: 0, reconcileMs: undefined, checkMs: undefined, retryMs: 0, retryRolledBackMs: 0, fastUntilMs: 0 },
  pace: { seed: 0, pollMs: 60_000, polls: 0 },
  isStopping: false,
};

export function step(before: DaemonState, event: DaemonEvent): Transition {
  const { nowMs } = event;
  const { state, effects } = startWork(startFetch(withJoin(reduce(before, event), nowMs), nowMs), nowMs);
  if (isSame(visibleOf(before), visibleOf(state))) return { state, effects };
  // Last, so that publishing does not delay the other effects.
  return { state: { ...state, sinceMs: nowMs }, effects: [...effects, { do: 'publish' }] };
}

export function phaseStatusOf(state: DaemonState): PhaseStatus {
  return state.ofDocument ?? shownInStandby(state) ?? state.ofNode;
}

/** When the daemon must act without an event. */
export function nextDueMs(state: DaemonState): number | undefined {
  const { due, fetch, work, pending, isStopping, announced } = state;
  if (isStopping) return undefined;
  const ofFetch = fetch === undefined ? [due.fetchMs] : [];
  const ofWork = work === undefined ? [due.reconcileMs, checkDueMs(state), pending?.atMs] : [];
  const ofAnnouncement = announced && !announced.isOverdue ? [announced.byMs] : [];
  const times = [...ofFetch, ...ofWork, ...ofAnnouncement, silenceOverMs(state)].filter((ms) => ms !== undefined);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** The part of the state that is published when it changes. A different wording alone is not published. */
function visibleOf(state: DaemonState): readonly unknown[] {
  const { phase, code } = phaseStatusOf(state);
  const { assigned, active, lastKnownGood, bad } = state.slots;
  const slots = [assigned, active, lastKnownGood].flatMap((slot) => [slot?.number, slot?.hash]);
  const { where, isConfirmed, left } = state.standby ?? {};
  const standby = [where, isConfirmed, left?.atMs];
  return [phase, code, state.isReady, bad.length, ...standby, ...slots, ...state.notes.map((note) => note.code)];
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, i) => one === others[i]);
}

function reduce(state: DaemonState, event: DaemonEvent): Transition {
  const { nowMs } = event;
  switch (event.is) {
    case 'started':
      return onStarted(state, event);
    case 'time':
      return withoutEffects(withSilenceOver(noteIfOverdue(state, nowMs), nowMs));
    case 'signalled':
      return withoutEffects({ ...withFastPolling(state, nowMs), delivered: undefined });
    case 'announced':
      return withoutEffects(onAnnounced(state, event.announcement, nowMs));
    case 'resumed':
      return withoutEffects(onResumed(state, nowMs));
    case 'told-to-join':
      return withoutEffects(onToldToJoin(state, nowMs));
    case 'ordered':
      return onOrdered(state, event.order);
    case 'fetched':
      return onFetched(state, event, nowMs);
    case 'fetch-trouble':
      return withoutEffects(
        withSilence(withFetchTrouble(state, event.why, event.isDegraded ? 'Degraded' : 'Fetching'), nowMs),
      );
    case 'fetch-failed':
      return onFetchFailed(state, event.why, nowMs);
    case 'read':
      return onRead(state, event.document, nowMs);
    case 'refused':
      return onRefused(state, event.why, event.documentHash, nowMs);
    case 'finished':
      return onFinished(state, event, nowMs);
    case 'declined':
      return onDeclined(state, event.error, nowMs);
    case 'broke':
      return onBroke(state, event, nowMs);
    case 'stop':
      return withoutEffects({ ...state, isStopping: true });
  }
}

function onStarted(state: DaemonState, event: Extract<DaemonEvent, { is: 'started' }>): Transition {
  const { slots, isForeign, seed, nowMs } = event;
  const isMemoryLost = event.isMemoryLost === true && !isForeign;
  const ofNode =
    slots.active !== undefined && !isForeign ? statusAtStart(slots, slots.active.generation) : state.ofNode;
  const after: DaemonState = {
    ...state,
    slots,
    isForeign,
    isMemoryLost,
    ofNode,
    work: { is: 'recovering' },
    // The donor's standby is not this machine's.
    standby: isForeign ? undefined : startStandby(event.standby),
  };
  return {
    state: { ...after, pace: { ...state.pace, seed }, due: { ...state.due, fetchMs: nowMs } },
    effects: [{ do: 'recover' }],
  };
}

/** The status of the active document, until the first check replaces it. */
function statusAtStart({ watch }: DaemonState['slots'], generation: number): PhaseStatus {
  return watch === undefined
    ? { phase: 'Applied', code: 'ok/applied', detail: `the node runs generation ${generation}` }
    : { phase: 'Verifying', code: 'verify/running', detail: `watching the health of generation ${generation}` };
}

function onOrdered(state: DaemonState, order: DaemonOrder): Transition {
  if (state.isStopping || state.orders.length >= MAX_ORDERS) {
    const detail = state.isStopping ? 'the daemon is stopping' : `${MAX_ORDERS} orders are already waiting`;
    return { state, effects: refusalAnswer(order, { code: 'apply/busy', detail }) };
  }
  // A fetch that started before the order may return the document that the order is meant to replace.
  const isFetching = order.what === 'apply' && order.raw === undefined && state.fetch?.orderId === undefined;
  return withoutEffects({ ...state, orders: [...state.orders, order], ...(isFetching && { fetch: undefined }) });
}
