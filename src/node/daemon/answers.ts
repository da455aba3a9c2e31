// node/daemon/answers.ts: how does an operator learn that an order was refused? Every order is answered exactly once.
import type { DaemonEffect, DaemonOrder, DaemonState, Transition, Why } from './state.ts';

export function refusalAnswer({ id }: DaemonOrder, refused: Why): DaemonEffect[] {
  return [{ do: 'answer', id, result: { refused } }];
}

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
