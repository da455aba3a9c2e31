import { describe, expect, it } from 'vitest';
import { INITIAL } from './machine.ts';
import { startFetch, startWork } from './start.ts';
import type { DaemonOrder, DaemonState } from './state.ts';
import { aState, START } from './states.testing.ts';

const work = (over: Partial<DaemonState>) => startWork({ state: aState(over), effects: [] }, START);
const fetch = (over: Partial<DaemonState>) => startFetch({ state: aState(over), effects: [] }, START);
const due = (over: Partial<DaemonState['due']>) => ({ ...aState().due, ...over });
const apply: DaemonOrder = { id: 1, what: 'apply', raw: 'raw-2' };
const pending = { raw: 'raw-3', atMs: START, isItsTurn: true };
const allDue = due({ checkMs: START, reconcileMs: START });

describe('startWork', () => {
  it.each<[string, Partial<DaemonState>, object[]]>([
    ['an order', { orders: [apply], pending, due: allDue }, [{ do: 'read', raw: 'raw-2', allowsOlder: true }]],
    ['a pending document', { pending, due: allDue }, [{ do: 'read', raw: 'raw-3', allowsOlder: false }]],
    ['a health check', { due: allDue }, [{ do: 'check' }]],
    ['a reconcile', { due: due({ reconcileMs: START }) }, [{ do: 'reconcile' }]],
    ['nothing before it is due', { pending: { ...pending, atMs: START + 1 }, due: due({ checkMs: START + 1 }) }, []],
    ['nothing while other work is running', { work: { is: 'checking' }, orders: [apply], pending, due: allDue }, []],
  ])('starts %s', (_, over, effects) => {
    expect(work(over).effects).toEqual(effects);
  });

  it('starts the oldest order that has its document', () => {
    const waiting: DaemonOrder = { id: 0, what: 'apply' };
    const { state, effects } = work({ orders: [waiting, { id: 2, what: 'keep' }, apply] });
    expect(effects).toEqual([{ do: 'keep' }]);
    expect(state.orders).toEqual([waiting, apply]);
  });

  it('shows an ordered rollback', () => {
    const { state, effects } = work({ orders: [{ id: 3, what: 'roll-back', to: 4 }] });
    expect(effects).toEqual([{ do: 'roll-back', to: 4 }]);
    expect(state.ofDocument?.phase).toBe('RollingBack');
  });

  it('ends a stopping daemon after the running work, and answers all orders', () => {
    const orders = [apply, { id: 2, what: 'keep' } as const];
    expect(work({ isStopping: true, orders, work: { is: 'checking' } }).effects).toEqual([]);
    const { state, effects } = work({ isStopping: true, orders, pending });
    expect(effects.map((effect) => ('id' in effect ? [effect.do, effect.id] : effect.do))).toEqual([
      ['answer', 1],
      ['answer', 2],
      'end',
    ]);
    expect(state.orders).toEqual([]);
  });
});

describe('startFetch', () => {
  it('starts a fetch when it is due, one at a time', () => {
    expect(fetch({ due: due({ fetchMs: START }) }).effects).toEqual([{ do: 'fetch', isOrdered: false }]);
    expect(fetch({ due: due({ fetchMs: START + 1 }) }).effects).toEqual([]);
    expect(fetch({ due: due({ fetchMs: START }), fetch: { orderId: undefined } }).effects).toEqual([]);
    expect(fetch({ due: due({ fetchMs: START }), isStopping: true }).effects).toEqual([]);
  });

  it('starts a fetch immediately for an order without a document', () => {
    const { state, effects } = fetch({ orders: [apply, { id: 9, what: 'apply' }] });
    expect([state.fetch, effects]).toEqual([{ orderId: 9 }, [{ do: 'fetch', isOrdered: true }]]);
  });

  it('shows Fetching on a new node, and not on a configured one', () => {
    const first = startFetch({ state: INITIAL, effects: [] }, START);
    expect(first.state.ofDocument).toMatchObject({ phase: 'Fetching', code: 'metadata/waiting' });
    expect(fetch({ due: due({ fetchMs: START }) }).state.ofDocument).toBeUndefined();
  });
});
