import { describe, expect, it } from 'vitest';
import { isConfigured, onFetched, onFetchFailed, withFetchTrouble } from './delivery.ts';
import { INITIAL } from './machine.ts';
import type { ApplyOrder, DaemonState } from './state.ts';
import { aState, runs, START } from './states.testing.ts';

const WHY = { code: 'metadata/unreachable', detail: 'no answer' } as const;
const order: ApplyOrder = { id: 7, what: 'apply' };
const delivered = { raw: 'raw-1', generation: 1, documentHash: 'document-1', hash: 'hash-1' };
const blocked = { phase: 'Blocked', code: 'config/invalid', detail: 'x' } as const;
/** The fetch made the document pending. */
const isRead = (over: Partial<DaemonState>) => {
  const before = aState(over);
  const { pending } = onFetched(before, { raw: 'raw-1' }, START).state;
  return pending?.raw === 'raw-1' && pending !== before.pending;
};

describe('onFetched', () => {
  it('reads a document with new bytes and schedules the next fetch', () => {
    const { state } = onFetched(aState({ fetch: { orderId: undefined }, delivered }), { raw: 'raw-2' }, START);
    expect(state.pending).toEqual({ raw: 'raw-2', atMs: START, isItsTurn: false });
    expect(state.fetch).toBeUndefined();
    expect(state.due.fetchMs).toBeGreaterThan(START);
  });

  it.each<[string, boolean, Partial<DaemonState>]>([
    ['already runs', false, { delivered }],
    ['is already pending', false, { pending: { raw: 'raw-1', atMs: START, isItsTurn: true } }],
    ['is being read', false, { work: { is: 'reading', raw: 'raw-1', isItsTurn: false } }],
    [
      'was refused a moment ago',
      false,
      { delivered, ofDocument: blocked, due: { ...INITIAL.due, retryMs: START + 1 } },
    ],
    ['was refused a while ago', true, { delivered, ofDocument: blocked, due: { ...INITIAL.due, retryMs: START } }],
    ['is being applied', false, { delivered, ofDocument: { ...blocked, phase: 'Applying' } }],
  ])('given a document that %s, decides to read it: %s', (_, expected, over) => {
    expect(isRead(over)).toBe(expected);
  });

  it('reads a document that was rolled back again after a while, unless it is bad', () => {
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

  it('passes the document to the order that waits for it', () => {
    const { state } = onFetched(aState({ fetch: { orderId: 7 }, orders: [order], delivered }), { raw: 'raw-1' }, START);
    expect([state.orders, state.pending]).toEqual([[{ ...order, raw: 'raw-1' }], undefined]);
  });
});

describe('metadata without a document', () => {
  it('adds a note on a configured node, which keeps its document', () => {
    const { state } = onFetched(aState({ delivered, ofDocument: blocked }), { raw: undefined }, START);
    expect([state.notes.map(({ code }) => code), state.ofDocument, state.delivered]).toEqual([
      ['config/disappeared'],
      undefined,
      undefined,
    ]);
  });

  it('leaves a new node idle, and answers the order that waits for a document', () => {
    const fetching = { ...INITIAL, fetch: { orderId: 7 }, orders: [order] };
    const { state, effects } = onFetched(fetching, { raw: undefined }, START);
    expect(state.ofNode).toMatchObject({ phase: 'Idle', code: 'metadata/no-user-data' });
    expect(effects).toMatchObject([{ do: 'answer', id: 7, result: { refused: { code: 'metadata/no-user-data' } } }]);
    expect(state.orders).toEqual([]);
  });
});

describe('a metadata service that does not answer', () => {
  it('is the status of a new node, and only a note on a configured node', () => {
    expect(withFetchTrouble(INITIAL, WHY, 'Fetching').ofDocument).toMatchObject({ phase: 'Fetching', code: WHY.code });
    expect(withFetchTrouble(aState(), WHY, 'Fetching').notes).toEqual([]);
    expect(withFetchTrouble(aState(), WHY, 'Degraded').notes).toEqual([WHY]);
  });

  it('is no longer shown after the next answer', () => {
    const { state } = onFetchFailed(aState({ fetch: { orderId: undefined } }), WHY, START);
    expect(state.notes).toEqual([WHY]);
    expect(onFetched(state, { raw: 'raw-1' }, START).state.notes).toEqual([]);
  });
});

describe('isConfigured', () => {
  it.each<[boolean, Partial<DaemonState>]>([
    [true, {}],
    [false, { slots: runs(undefined) }],
    [true, { slots: runs(undefined), isMemoryLost: true }],
    [false, { isForeign: true }],
    [false, { isForeign: true, isMemoryLost: true }],
  ])('is %s for %j', (expected, over) => {
    expect(isConfigured(aState(over))).toBe(expected);
  });
});
