// node/daemon/machine.ts: what does the daemon do when something happens? Pure: a state and an event in, the next state and what to do
// out. Two things may be under way at once, one request for metadata and one piece of work on the node, and never two of a kind.
import { announced, hurried, overdue } from './announcement.ts';
import { answerTo, only } from './answers.ts';
import { fetched, fetchFailed, troubled } from './delivery.ts';
import { read, refused } from './reading.ts';
import { startFetch, startWork } from './start.ts';
import type { DaemonState, Event, Next, Order, Shown } from './state.ts';
import { broke, declined, finished } from './work-end.ts';

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
  delivered: undefined,
  announced: undefined,
  fetch: undefined,
  work: undefined,
  pending: undefined,
  orders: [],
  due: { lookMs: 0, reconcileMs: undefined, checkMs: undefined, retryMs: 0, tryAgainMs: 0, fastUntilMs: 0 },
  pace: { seed: 0, pollMs: 60_000, polls: 0 },
  isStopping: false,
};

export function step(before: DaemonState, event: Event): Next {
  const { nowMs } = event;
  const { state, effects } = startWork(startFetch(absorb(before, event), nowMs), nowMs);
  if (isSame(visibleOf(before), visibleOf(state))) return { state, effects };
  // Last: nothing waits for others to be told.
  return { state: { ...state, sinceMs: nowMs }, effects: [...effects, { do: 'publish' }] };
}

export function shownOf({ ofDocument, ofNode }: DaemonState): Shown {
  return ofDocument ?? ofNode;
}

/** When something has to happen although nothing does. */
export function nextDueMs({ due, fetch, work, pending, isStopping, announced }: DaemonState): number | undefined {
  if (isStopping) return undefined;
  const ofFetch = fetch === undefined ? [due.lookMs] : [];
  const ofWork = work === undefined ? [due.reconcileMs, due.checkMs, pending?.atMs] : [];
  const ofAnnouncement = announced && !announced.isOverdue ? [announced.byMs] : [];
  const times = [...ofFetch, ...ofWork, ...ofAnnouncement].filter((ms) => ms !== undefined);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** What others see. A change of it is published; another wording, or a look that finds the same, is not. */
function visibleOf(state: DaemonState): readonly unknown[] {
  const { phase, code } = shownOf(state);
  const { assigned, active, lastKnownGood, bad } = state.slots;
  const slots = [assigned, active, lastKnownGood].flatMap((slot) => [slot?.number, slot?.hash]);
  return [phase, code, state.isReady, bad.length, ...slots, ...state.notes.map((note) => note.code)];
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, i) => one === others[i]);
}

function absorb(state: DaemonState, event: Event): Next {
  const { nowMs } = event;
  switch (event.is) {
    case 'started':
      return started(state, event);
    case 'time':
      return only(overdue(state, nowMs));
    case 'signalled':
      return only({ ...hurried(state, nowMs), delivered: undefined });
    case 'announced':
      return only(announced(state, event.announcement, nowMs));
    case 'ordered':
      return ordered(state, event.order);
    case 'fetched':
      return fetched(state, event.raw, nowMs);
    case 'fetch-trouble':
      return only(troubled(state, event.why, event.isDegraded ? 'Degraded' : 'Fetching'));
    case 'fetch-failed':
      return fetchFailed(state, event.why, nowMs);
    case 'read':
      return read(state, event.document, nowMs);
    case 'refused':
      return refused(state, event.why, event.documentHash, nowMs);
    case 'finished':
      return finished(state, event, nowMs);
    case 'declined':
      return declined(state, event.error, nowMs);
    case 'broke':
      return broke(state, event, nowMs);
    case 'stop':
      return only({ ...state, isStopping: true });
  }
}

function started(state: DaemonState, event: Extract<Event, { is: 'started' }>): Next {
  const { slots, isForeign, seed, nowMs } = event;
  const isMemoryLost = event.isMemoryLost === true && !isForeign;
  const ofNode = slots.active !== undefined && !isForeign ? asBefore(slots, slots.active.generation) : state.ofNode;
  const after: DaemonState = { ...state, slots, isForeign, isMemoryLost, ofNode, work: { is: 'recovering' } };
  return {
    state: { ...after, pace: { ...state.pace, seed }, due: { ...state.due, lookMs: nowMs } },
    effects: [{ do: 'recover' }],
  };
}

/** What an earlier daemon left; what is wrong with it will show. */
function asBefore({ watch }: DaemonState['slots'], generation: number): Shown {
  return watch === undefined
    ? { phase: 'Applied', code: 'ok/applied', detail: `the node runs generation ${generation}` }
    : { phase: 'Verifying', code: 'verify/running', detail: `generation ${generation} is watched` };
}

function ordered(state: DaemonState, order: Order): Next {
  if (state.isStopping || state.orders.length >= MAX_ORDERS) {
    const detail = state.isStopping ? 'the daemon is stopping' : `${MAX_ORDERS} others wait already`;
    return { state, effects: answerTo(order, { code: 'apply/busy', detail }) };
  }
  // A request that began before the order may bring what the order is meant to replace.
  const isFetching = order.what === 'apply' && order.raw === undefined && state.fetch?.orderId === undefined;
  return only({ ...state, orders: [...state.orders, order], ...(isFetching && { fetch: undefined }) });
}
