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

describe('the next piece of work', () => {
  it.each<[string, Partial<DaemonState>, object[]]>([
    ["a person's order", { orders: [apply], pending, due: allDue }, [{ do: 'read', raw: 'raw-2', allowsOlder: true }]],
    ['a document that waits', { pending, due: allDue }, [{ do: 'read', raw: 'raw-3', allowsOlder: false }]],
    ['a look at its health', { due: allDue }, [{ do: 'check' }]],
    ['what has to be put right', { due: due({ reconcileMs: START }) }, [{ do: 'reconcile' }]],
    ['nothing before its time', { pending: { ...pending, atMs: START + 1 }, due: due({ checkMs: START + 1 }) }, []],
    ['nothing while something is done', { work: { is: 'checking' }, orders: [apply], pending, due: allDue }, []],
  ])('is %s', (_, over, effects) => {
    expect(work(over).effects).toEqual(effects);
  });

  it('is the oldest order that has its document', () => {
    const waiting: DaemonOrder = { id: 0, what: 'apply' };
    const { state, effects } = work({ orders: [waiting, { id: 2, what: 'keep' }, apply] });
    expect(effects).toEqual([{ do: 'keep' }]);
    expect(state.orders).toEqual([waiting, apply]);
  });

  it('is shown where a person goes back', () => {
    const { state, effects } = work({ orders: [{ id: 3, what: 'roll-back', to: 4 }] });
    expect(effects).toEqual([{ do: 'roll-back', to: 4 }]);
    expect(state.ofDocument?.phase).toBe('RollingBack');
  });

  it('of a daemon that stops is its end, once what is being done is done; all orders are answered', () => {
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

describe('a request for metadata', () => {
  it('is begun when it is due, and one at a time', () => {
    expect(fetch({ due: due({ fetchMs: START }) }).effects).toEqual([{ do: 'fetch', isOrdered: false }]);
    expect(fetch({ due: due({ fetchMs: START + 1 }) }).effects).toEqual([]);
    expect(fetch({ due: due({ fetchMs: START }), fetch: { orderId: undefined } }).effects).toEqual([]);
    expect(fetch({ due: due({ fetchMs: START }), isStopping: true }).effects).toEqual([]);
  });

  it('is begun at once for a person who brings no document', () => {
    const { state, effects } = fetch({ orders: [apply, { id: 9, what: 'apply' }] });
    expect([state.fetch, effects]).toEqual([{ orderId: 9 }, [{ do: 'fetch', isOrdered: true }]]);
  });

  it('is what a new node shows first, and nothing that a configured one shows', () => {
    const first = startFetch({ state: INITIAL, effects: [] }, START);
    expect(first.state.ofDocument).toMatchObject({ phase: 'Fetching', code: 'metadata/waiting' });
    expect(fetch({ due: due({ fetchMs: START }) }).state.ofDocument).toBeUndefined();
  });
});
