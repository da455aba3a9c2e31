import { describe, expect, it } from 'vitest';
import { isConfigured, onFetched, onFetchFailed, withFetchTrouble } from './delivery.ts';
import { INITIAL } from './machine.ts';
import type { ApplyOrder, DaemonState } from './state.ts';
import { aState, runs, START } from './states.testing.ts';

const WHY = { code: 'metadata/unreachable', detail: 'nobody answers' } as const;
const order: ApplyOrder = { id: 7, what: 'apply' };
const delivered = { raw: 'raw-1', generation: 1, documentHash: 'document-1', hash: 'hash-1' };
const blocked = { phase: 'Blocked', code: 'config/invalid', detail: 'x' } as const;
/** It waits to be read, and did not before. */
const isRead = (over: Partial<DaemonState>) => {
  const before = aState(over);
  const { pending } = onFetched(before, 'raw-1', START).state;
  return pending?.raw === 'raw-1' && pending !== before.pending;
};

describe('a document that was delivered', () => {
  it('is read when its bytes are new, and asked for again later', () => {
    const { state } = onFetched(aState({ fetch: { orderId: undefined }, delivered }), 'raw-2', START);
    expect(state.pending).toEqual({ raw: 'raw-2', atMs: START, isItsTurn: false });
    expect(state.fetch).toBeUndefined();
    expect(state.due.fetchMs).toBeGreaterThan(START);
  });

  it.each<[string, boolean, Partial<DaemonState>]>([
    ['runs', false, { delivered }],
    ['waits already', false, { pending: { raw: 'raw-1', atMs: START, isItsTurn: true } }],
    ['is being read', false, { work: { is: 'reading', raw: 'raw-1', isItsTurn: false } }],
    [
      'was refused a moment ago',
      false,
      { delivered, ofDocument: blocked, due: { ...INITIAL.due, retryMs: START + 1 } },
    ],
    ['was refused a while ago', true, { delivered, ofDocument: blocked, due: { ...INITIAL.due, retryMs: START } }],
    ['is being applied', false, { delivered, ofDocument: { ...blocked, phase: 'Applying' } }],
  ])('and %s: to be read is %s', (_, expected, over) => {
    expect(isRead(over)).toBe(expected);
  });

  it('and was taken back is read again after a while, unless it was to blame', () => {
    const back = {
      delivered: { ...delivered, hash: 'hash-2' },
      ofNode: { phase: 'RolledBack', code: 'apply/drain-failed', detail: 'x' },
      due: { ...INITIAL.due, retryRolledBackMs: START },
    } as const;
    expect(isRead(back)).toBe(true);
    expect(isRead({ ...back, due: { ...back.due, retryRolledBackMs: START + 1 } })).toBe(false);
    const bad = [{ hash: 'hash-2', generation: 2, code: 'verify/unit-failed', atMs: 0 }] as const;
    expect(isRead({ ...back, slots: runs(1, { bad }) })).toBe(false);
  });

  it('for a person goes to the order that asked for it', () => {
    const { state } = onFetched(aState({ fetch: { orderId: 7 }, orders: [order], delivered }), 'raw-1', START);
    expect([state.orders, state.pending]).toEqual([[{ ...order, raw: 'raw-1' }], undefined]);
  });
});

describe('metadata without a document', () => {
  it('are a note on a node that runs something, which goes on running it', () => {
    const { state } = onFetched(aState({ delivered, ofDocument: blocked }), undefined, START);
    expect([state.notes.map(({ code }) => code), state.ofDocument, state.delivered]).toEqual([
      ['config/disappeared'],
      undefined,
      undefined,
    ]);
  });

  it('leave a new node idle, and answer the person who waits for a document', () => {
    const fetching = { ...INITIAL, fetch: { orderId: 7 }, orders: [order] };
    const { state, effects } = onFetched(fetching, undefined, START);
    expect(state.ofNode).toMatchObject({ phase: 'Idle', code: 'metadata/no-user-data' });
    expect(effects).toMatchObject([{ do: 'answer', id: 7, result: { refused: { code: 'metadata/no-user-data' } } }]);
    expect(state.orders).toEqual([]);
  });
});

describe('a metadata service that does not answer', () => {
  it('is what a new node shows, and only a note of a node that runs', () => {
    expect(withFetchTrouble(INITIAL, WHY, 'Fetching').ofDocument).toMatchObject({ phase: 'Fetching', code: WHY.code });
    expect(withFetchTrouble(aState(), WHY, 'Fetching').notes).toEqual([]);
    expect(withFetchTrouble(aState(), WHY, 'Degraded').notes).toEqual([WHY]);
  });

  it('is forgotten with the next answer', () => {
    const { state } = onFetchFailed(aState({ fetch: { orderId: undefined } }), WHY, START);
    expect(state.notes).toEqual([WHY]);
    expect(onFetched(state, 'raw-1', START).state.notes).toEqual([]);
  });
});

describe('a node', () => {
  it.each<[boolean, Partial<DaemonState>]>([
    [true, {}],
    [false, { slots: runs(undefined) }],
    [true, { slots: runs(undefined), isMemoryLost: true }],
    [false, { isForeign: true }],
    [false, { isForeign: true, isMemoryLost: true }],
  ])('runs something is %s: %j', (expected, over) => {
    expect(isConfigured(aState(over))).toBe(expected);
  });
});
