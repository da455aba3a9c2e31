// node/daemon/answers.ts: how does a person hear what became of an order? Each is answered once; most events have no answer at all.
import type { DaemonState, Effect, Next, Order, Why } from './state.ts';

export function answerTo({ id }: Order, refused: Why): Effect[] {
  return [{ do: 'answer', id, result: { refused } }];
}

/** An order that can go no further. */
export function answered(state: DaemonState, order: Order | undefined, why: Why): Next {
  if (order === undefined) return only(state);
  return {
    state: { ...state, orders: state.orders.filter((one) => one.id !== order.id) },
    effects: answerTo(order, why),
  };
}

export function only(state: DaemonState): Next {
  return { state, effects: [] };
}
