// node/daemon/answers.ts: how does a person hear what became of an order? Each is answered once; most events have no answer at all.
import type { DaemonEffect, DaemonOrder, DaemonState, Transition, Why } from './state.ts';

export function refusalAnswer({ id }: DaemonOrder, refused: Why): DaemonEffect[] {
  return [{ do: 'answer', id, result: { refused } }];
}

/** An order that can go no further. */
export function refuseOrder(state: DaemonState, order: DaemonOrder | undefined, why: Why): Transition {
  if (order === undefined) return withoutEffects(state);
  return {
    state: { ...state, orders: state.orders.filter((one) => one.id !== order.id) },
    effects: refusalAnswer(order, why),
  };
}

export function withoutEffects(state: DaemonState): Transition {
  return { state, effects: [] };
}
