// node/daemon/delivery.ts: a fetch ended: is there a document to read, and when is the next fetch?
import { pollDelayMs } from '../triggers/poll.ts';
import { refuseOrder, withoutEffects } from './answers.ts';
import { withNote, withoutNote, withoutTrouble } from './notes.ts';
import { onStandbyReport, STANDBY_POLL_MS, withSilence } from './standby/decide-join.ts';
import type { ApplyOrder, DaemonEvent, DaemonOrder, DaemonState, Transition, Why } from './state.ts';

export function onFetched(
  before: DaemonState,
  { raw, standby: report }: Pick<Extract<DaemonEvent, { is: 'fetched' }>, 'raw' | 'standby'>,
  nowMs: number,
): Transition {
  const seen = onStandbyReport(before, { report, hasDocument: raw !== undefined }, nowMs);
  const { state, effects } = onDelivered(seen.state, raw, nowMs);
  return { state, effects: [...seen.effects, ...effects] };
}

function onDelivered(before: DaemonState, raw: string | undefined, nowMs: number): Transition {
  const order = orderOfFetch(before);
  const state = afterFetch(before, nowMs);
  if (raw === undefined) return nothingDelivered(state, order);
  const present = withoutNote(state, 'config/disappeared');
  if (order !== undefined) {
    return withoutEffects({
      ...present,
      orders: present.orders.map((one) => (one === order ? { ...order, raw } : one)),
    });
  }
  if (!isToBeRead(present, raw, nowMs)) return withoutEffects(present);
  return withoutEffects({ ...present, pending: { raw, atMs: nowMs, isItsTurn: false } });
}

/** Do not read a document again if it is bad or applied; do if it is waiting or could not be applied. */
function isToBeRead(state: DaemonState, raw: string, nowMs: number): boolean {
  if (state.pending?.raw === raw || (state.work?.is === 'reading' && state.work.raw === raw)) return false;
  if (state.delivered?.raw !== raw) return true;
  if (state.ofDocument === undefined) return isBlameless(state) && nowMs >= state.due.retryRolledBackMs;
  return state.ofDocument.phase !== 'Applying' && nowMs >= state.due.retryMs;
}

/** Rolled back for an external reason, such as a blocked drain or an unreachable API server. */
function isBlameless({ delivered, ofNode, slots }: DaemonState): boolean {
  const hash = delivered?.hash;
  if (hash === undefined || hash === slots.active?.hash) return false;
  return ofNode.phase === 'RolledBack' && !slots.bad.some((one) => one.hash === hash);
}

function nothingDelivered(state: DaemonState, order: DaemonOrder | undefined): Transition {
  const isNode = isConfigured(state);
  const why: Why = isNode
    ? { code: 'config/disappeared', detail: 'the metadata no longer has a document' }
    : { code: 'metadata/no-user-data', detail: 'the metadata has no document' };
  const after: DaemonState = isNode
    ? withNote({ ...state, ofDocument: undefined }, why)
    : { ...state, ofDocument: undefined, ofNode: { phase: 'Idle', ...why } };
  return refuseOrder({ ...after, delivered: undefined, pending: undefined }, order, why);
}

/** headstart has configured this machine itself, not only its donor. True also if the saved state is lost. */
export function isConfigured({ slots, isForeign, isMemoryLost }: DaemonState): boolean {
  return (slots.active !== undefined || isMemoryLost) && !isForeign;
}

/** A configured node keeps running its document, so trouble is only a note there. */
export function withFetchTrouble(state: DaemonState, why: Why, phase: 'Fetching' | 'Degraded'): DaemonState {
  if (!isConfigured(state)) return { ...state, ofDocument: { phase, ...why } };
  return phase === 'Degraded' ? withNote(withoutTrouble(state), why) : state;
}

export function onFetchFailed(before: DaemonState, why: Why, nowMs: number): Transition {
  const order = orderOfFetch(before);
  const state = withSilence(withFetchTrouble(afterFetch(before, nowMs), why, 'Degraded'), nowMs);
  return refuseOrder(state, order, why);
}

/** After a fetch, successful or not. */
function afterFetch(state: DaemonState, nowMs: number): DaemonState {
  const { due, pace } = state;
  const isFast = nowMs < due.fastUntilMs || !isConfigured(state);
  const isWaiting = state.standby !== undefined && state.standby.left === undefined;
  return {
    ...withoutTrouble(state),
    fetch: undefined,
    pace: { ...pace, polls: pace.polls + 1 },
    due: {
      ...due,
      fetchMs: nowMs + (isWaiting ? STANDBY_POLL_MS : pollDelayMs({ ...pace, count: pace.polls }, isFast)),
    },
  };
}

function orderOfFetch({ fetch, orders }: DaemonState): ApplyOrder | undefined {
  const order = orders.find(({ id }) => id === fetch?.orderId);
  return order?.what === 'apply' ? order : undefined;
}
