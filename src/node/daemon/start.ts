// node/daemon/start.ts: what does the daemon start next? An order first, then a new document, then a health check, then
// a reconcile. Work starts only when no other work is running, and a fetch only when no other fetch is.
import { isConfigured } from './delivery.ts';
import type { DaemonEffect, DaemonOrder, DaemonState, Transition, Why } from './state.ts';

export function startFetch({ state, effects }: Transition, nowMs: number): Transition {
  if (state.fetch !== undefined || state.isStopping) return { state, effects };
  const waiting = state.orders.find((order) => order.what === 'apply' && order.raw === undefined);
  if (waiting === undefined && nowMs < state.due.fetchMs) return { state, effects };
  const isFirst = !isConfigured(state) && state.ofDocument === undefined && state.ofNode.code === WAITING.code;
  return {
    state: {
      ...state,
      fetch: { orderId: waiting?.id },
      ...(isFirst && { ofDocument: { phase: 'Fetching', ...WAITING } as const }),
    },
    effects: [...effects, { do: 'fetch', isOrdered: waiting !== undefined }],
  };
}

const WAITING: Why = { code: 'metadata/waiting', detail: 'waiting for the metadata service' };

export function startWork({ state, effects }: Transition, nowMs: number): Transition {
  if (state.work !== undefined) return { state, effects };
  if (state.isStopping)
    return { state: { ...state, orders: [] }, effects: [...effects, ...refuseAll(state.orders), { do: 'end' }] };
  const order = state.orders.find((one) => one.what !== 'apply' || one.raw !== undefined);
  if (order !== undefined) {
    const begun = startOrder({ ...state, orders: state.orders.filter((one) => one !== order) }, order);
    return { ...begun, effects: [...effects, ...begun.effects] };
  }
  const { pending, due } = state;
  if (pending !== undefined && nowMs >= pending.atMs) {
    const { raw, isItsTurn } = pending;
    return {
      state: { ...state, pending: undefined, work: { is: 'reading', raw, isItsTurn } },
      effects: [...effects, { do: 'read', raw, allowsOlder: false }],
    };
  }
  const checkMs = checkDueMs(state);
  if (checkMs !== undefined && nowMs >= checkMs) {
    return { state: { ...state, work: { is: 'checking' } }, effects: [...effects, { do: 'check' }] };
  }
  if (due.reconcileMs !== undefined && nowMs >= due.reconcileMs) {
    return { state: { ...state, work: { is: 'reconciling' } }, effects: [...effects, { do: 'reconcile' }] };
  }
  return { state, effects };
}

/** In standby kubelet does not run, so there is no health to check before it started. */
export function checkDueMs({ due, standby, isReady }: DaemonState): number | undefined {
  return standby !== undefined && !isReady ? undefined : due.checkMs;
}

function startOrder(state: DaemonState, order: DaemonOrder): Transition {
  switch (order.what) {
    case 'keep':
      return { state: { ...state, work: { is: 'keeping', order } }, effects: [{ do: 'keep' }] };
    case 'roll-back': {
      const why: Why = { code: 'apply/running', detail: 'ordered by an operator' };
      return {
        state: { ...state, work: { is: 'rolling-back', order }, ofDocument: { phase: 'RollingBack', ...why } },
        effects: [{ do: 'roll-back', to: order.to }],
      };
    }
    case 'apply': {
      const raw = order.raw ?? '';
      return {
        state: { ...state, work: { is: 'reading', raw, order, isItsTurn: true } },
        effects: [{ do: 'read', raw, allowsOlder: true }],
      };
    }
  }
}

/** Answers the waiting orders when the daemon stops. */
function refuseAll(orders: readonly DaemonOrder[]): DaemonEffect[] {
  const refused: Why = { code: 'apply/busy', detail: 'the daemon is stopping' };
  return orders.map(({ id }) => ({ do: 'answer', id, result: { refused } }));
}
