// node/daemon/machine.ts: what does the daemon do when something happens? Pure: a state and an event in, the next state and what to do
// out. Two things may be under way at once, one request for metadata and one piece of work on the node, and never two of a kind.
import { isReasonCode } from '../reason-codes.ts';
import { FAST_FOR_MS, turnMs } from '../triggers/poll.ts';
import { isSatisfiedBy } from './announcement.ts';
import { answered, answerTo, only } from './answers.ts';
import { fetched, fetchFailed, isConfigured, troubled } from './delivery.ts';
import { withNote, withoutNote } from './notes.ts';
import { settle } from './settle.ts';
import { startFetch, startWork } from './start.ts';
import type {
  Announcement,
  DaemonState,
  Effect,
  Event,
  Next,
  Order,
  OrderError,
  ReadDocument,
  Shown,
  Why,
} from './state.ts';

/** What is put right although nobody changed the document. */
const RECONCILE_MS = 600_000;
/** Each look takes the processor away from a kubelet that starts. */
const CHECK_MS = 5000;
const RETRY_MS = 30_000;
/** Its pods were disturbed once already. */
const TRY_AGAIN_MS = 3_600_000;
/** A document that is to be applied at a boot is waited for this long; then the node starts with what it has. */
const STAGED_WAIT_MS = 30_000;
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
  const isNews = visibleOf(before) !== visibleOf(state);
  if (!isNews) return { state, effects };
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

/** What others see. A change of it is told; another wording, or a look that finds the same, is not. */
function visibleOf(state: DaemonState): string {
  const { phase, code } = shownOf(state);
  const { assigned, active, lastKnownGood, bad } = state.slots;
  const known = [assigned, active, lastKnownGood].map((slot) => `${slot?.number} ${slot?.hash}`);
  return JSON.stringify([phase, code, state.notes.map((note) => note.code), known, bad.length, state.isReady]);
}

function absorb(state: DaemonState, event: Event): Next {
  const { nowMs } = event;
  switch (event.is) {
    case 'started': {
      const { slots, isForeign, seed } = event;
      const isMemoryLost = event.isMemoryLost === true && !isForeign;
      const ofNode = slots.active !== undefined && !isForeign ? asBefore(slots, slots.active.generation) : state.ofNode;
      const after: DaemonState = { ...state, slots, isForeign, isMemoryLost, ofNode, work: { is: 'recovering' } };
      return {
        state: { ...after, pace: { ...state.pace, seed }, due: { ...state.due, lookMs: nowMs } },
        effects: [{ do: 'recover' }],
      };
    }
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

/** What an earlier daemon left; what is wrong with it will show. */
function asBefore({ watch }: DaemonState['slots'], generation: number): Shown {
  return watch === undefined
    ? { phase: 'Applied', code: 'ok/applied', detail: `the node runs generation ${generation}` }
    : { phase: 'Verifying', code: 'verify/running', detail: `generation ${generation} is watched` };
}

function hurried(state: DaemonState, nowMs: number): DaemonState {
  return { ...state, due: { ...state.due, lookMs: nowMs, fastUntilMs: nowMs + FAST_FOR_MS } };
}

/** The same one comes again with every change of the Node. */
function announced(state: DaemonState, { generation, documentHash }: Announcement, nowMs: number): DaemonState {
  const known = state.announced;
  if (known?.generation === generation && known.documentHash === documentHash) return state;
  const others = withoutNote(state, 'config/announced-not-delivered');
  if (isSatisfiedBy({ generation, documentHash }, state)) return { ...others, announced: undefined };
  const next = { generation, documentHash, byMs: nowMs + FAST_FOR_MS, isOverdue: false };
  return hurried({ ...others, announced: next }, nowMs);
}

function overdue(state: DaemonState, nowMs: number): DaemonState {
  const { announced: told } = state;
  if (told === undefined || told.isOverdue || nowMs < told.byMs) return state;
  const detail = `generation ${told.generation} was announced and has not been delivered in ${FAST_FOR_MS / 1000} s`;
  return withNote(
    { ...state, announced: { ...told, isOverdue: true } },
    { code: 'config/announced-not-delivered', detail },
  );
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

function read(state: DaemonState, document: ReadDocument, nowMs: number): Next {
  if (state.work?.is !== 'reading') return only(state);
  const { raw, order, isItsTurn } = state.work;
  const { generation, documentHash, hash, pollMs, jitterMs } = document;
  const isRetry = state.delivered?.raw === raw && state.ofDocument !== undefined;
  const isOfPerson = order !== undefined;
  const isOther = hash !== state.slots.active?.hash;
  const known = isOfPerson ? state : { ...state, delivered: { raw, generation, documentHash, hash } };
  const after = withoutAnnounced({ ...known, pace: { ...state.pace, pollMs } }, { generation, documentHash });
  // A node that has yet to become one does not wait for others.
  if (!isOfPerson && !isItsTurn && isOther && state.isReady && jitterMs > 0) {
    const atMs = nowMs + turnMs(state.pace.seed, jitterMs);
    const why: Why = { code: 'plan/waiting-turn', detail: `its turn is at ${new Date(atMs).toISOString()}` };
    return only({
      ...after,
      work: undefined,
      ofDocument: { phase: 'Planned', ...why },
      pending: { raw, atMs, isItsTurn: true },
    });
  }
  const applying: Shown = { phase: 'Applying', code: 'apply/running', detail: `generation ${generation}` };
  // What was refused a minute ago, and may be again, is not shown as being applied.
  const isShown = isOther && (!isRetry || isItsTurn);
  return {
    state: { ...after, work: { is: 'applying', raw, order }, ...(isShown && { ofDocument: applying }) },
    effects: [{ do: 'apply', raw, isOrdered: isOfPerson }],
  };
}

function refused(state: DaemonState, why: Why, documentHash: string | undefined, nowMs: number): Next {
  if (state.work?.is !== 'reading') return only(state);
  const { raw, order } = state.work;
  if (order !== undefined) return answered({ ...state, work: undefined }, order, why);
  const delivered = { raw, ...(documentHash !== undefined && { documentHash }) };
  const due = { ...state.due, retryMs: nowMs + RETRY_MS };
  const after: DaemonState = { ...state, due, work: undefined, delivered, ofDocument: { phase: 'Blocked', ...why } };
  return only(withoutAnnounced(after, delivered));
}

function finished(found: DaemonState, { outcome, note }: Extract<Event, { is: 'finished' }>, nowMs: number): Next {
  const { work } = found;
  if (work === undefined) return only(found);
  const before = work.is === 'reconciling' ? withKeptAsApplied(found, note) : found;
  const { slots } = outcome;
  // As soon as something was applied for this machine, it is this machine's.
  const isDone = outcome.kind === 'unchanged' || outcome.kind === 'applied' || outcome.kind === 'verified';
  const isForeign = before.isForeign && !(work.is === 'applying' && isDone);
  const isMemoryLost = before.isMemoryLost && (outcome.kind === 'failed' || outcome.kind === 'waiting');
  const state: DaemonState = {
    ...before,
    ...settle(before, work.is, outcome),
    slots,
    isForeign,
    isMemoryLost,
    work: undefined,
    due: {
      ...dueAfter({ ...before, slots, isForeign, isMemoryLost }, work.is, nowMs),
      retryMs: nowMs + RETRY_MS,
      ...(outcome.kind === 'reverted' && { tryAgainMs: nowMs + TRY_AGAIN_MS }),
    },
  };
  const answer: readonly Effect[] =
    'order' in work && work.order ? [{ do: 'answer', id: work.order.id, result: { outcome } }] : [];
  return nowReady(state, work.is, answer);
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
function nowReady(state: DaemonState, work: string, effects: readonly Effect[]): Next {
  // Without a memory there is nothing to put right.
  const isTried = state.isMemoryLost || work === 'reconciling' || work === 'applying' || work === 'rolling-back';
  if (state.isReady || !isConfigured(state) || !isTried) return { state, effects };
  return { state: { ...state, isReady: true }, effects: [{ do: 'tell-ready' }, ...effects] };
}

function declined(state: DaemonState, error: OrderError, nowMs: number): Next {
  const { work } = state;
  if (work !== undefined && 'order' in work && work.order !== undefined) {
    const answer: Effect = { do: 'answer', id: work.order.id, result: { error } };
    return { state: { ...state, work: undefined, ofDocument: undefined }, effects: [answer] };
  }
  return givenUp(state, { code: isReasonCode(error.code) ? error.code : 'daemon/broke', detail: error.message }, nowMs);
}

function broke(state: DaemonState, { lane, detail }: Extract<Event, { is: 'broke' }>, nowMs: number): Next {
  const why: Why = { code: 'daemon/broke', detail };
  return lane === 'fetch' ? fetchFailed(state, why, nowMs) : givenUp(state, why, nowMs);
}

/** Work that came to no outcome. */
function givenUp(state: DaemonState, why: Why, nowMs: number): Next {
  const { work } = state;
  if (work === undefined) return only(state);
  // Work that was called off because we end is no news of the node.
  const shown = state.isStopping ? {} : { ofDocument: undefined, ofNode: { phase: 'Degraded', ...why } as const };
  const after: DaemonState = { ...state, work: undefined, ...shown };
  const answer = 'order' in work && work.order ? answerTo(work.order, why) : [];
  // A document that cannot be read keeps nobody from putting right what runs.
  if (work.is === 'reading') return { state: after, effects: answer };
  // Not again at once: it would break again.
  const due = { ...state.due, checkMs: state.slots.watch && nowMs + RECONCILE_MS, reconcileMs: nowMs + RECONCILE_MS };
  return nowReady({ ...after, due }, work.is === 'recovering' ? 'reconciling' : work.is, answer);
}

function withoutAnnounced(state: DaemonState, document: { generation?: number; documentHash?: string }): DaemonState {
  const { announced: told } = state;
  if (told === undefined || !isSatisfiedBy(told, { ...state, delivered: { raw: '', ...document } })) return state;
  return withoutNote({ ...state, announced: undefined }, 'config/announced-not-delivered');
}
