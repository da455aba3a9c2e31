import { describe, expect, it } from 'vitest';
import { onRead, onRefused } from './reading.ts';
import type { DaemonState, ReadDocument } from './state.ts';
import { aState, START } from './states.testing.ts';

const document = (generation: number, over: Partial<ReadDocument> = {}): ReadDocument => ({
  generation,
  documentHash: `document-${generation}`,
  hash: `hash-${generation}`,
  pollMs: 30_000,
  jitterMs: 0,
  ...over,
});
const order = { id: 7, what: 'apply', raw: 'raw-2' } as const;
const reading = (over: Partial<DaemonState> = {}): DaemonState =>
  aState({
    work: { is: 'reading', raw: 'raw-2', isItsTurn: false },
    pace: { seed: 0.5, pollMs: 60_000, polls: 0 },
    ...over,
  });
const WHY = { code: 'config/invalid', detail: 'spec.x' } as const;

describe('a document that was read', () => {
  it('is applied, shown as Applying, and sets the poll interval', () => {
    const { state, effects } = onRead(reading(), document(2), START);
    expect(effects).toEqual([{ do: 'apply', raw: 'raw-2', isOrdered: false }]);
    expect(state.work).toEqual({ is: 'applying', raw: 'raw-2', order: undefined });
    expect([state.ofDocument?.phase, state.delivered?.hash, state.pace.pollMs]).toEqual(['Applying', 'hash-2', 30_000]);
  });

  it('is not shown as Applying if it is active or was refused before', () => {
    expect(onRead(reading(), document(1), START).state.ofDocument).toBeUndefined();
    const waiting = { phase: 'Planned', code: 'plan/manual', detail: 'x' } as const;
    const again = reading({ delivered: { raw: 'raw-2' }, ofDocument: waiting });
    expect(onRead(again, document(2), START).state.ofDocument).toBe(waiting);
  });

  it('waits for its turn if it has a jitter', () => {
    const { state, effects } = onRead(reading(), document(2, { jitterMs: 600_000 }), START);
    expect(effects).toEqual([]);
    expect(state.pending).toEqual({ raw: 'raw-2', atMs: START + 300_000, isItsTurn: true });
    expect([state.work, state.ofDocument?.code]).toEqual([undefined, 'plan/waiting-turn']);
  });

  it.each<[string, Partial<DaemonState>, number]>([
    ['that has waited for its turn', { work: { is: 'reading', raw: 'raw-2', isItsTurn: true } }, 2],
    ['that was ordered', { work: { is: 'reading', raw: 'raw-2', isItsTurn: true, order } }, 2],
    ['of a node that is not configured yet', { isReady: false }, 2],
    ['that is already active', {}, 1],
  ])('%s does not wait for a turn', (_, over, generation) => {
    const { effects } = onRead(reading(over), document(generation, { jitterMs: 600_000 }), START);
    expect(effects).toMatchObject([{ do: 'apply', raw: 'raw-2' }]);
  });

  it('is not recorded as delivered if it was ordered', () => {
    const state = reading({
      work: { is: 'reading', raw: 'raw-2', isItsTurn: true, order },
      delivered: { raw: 'raw-1' },
    });
    const after = onRead(state, document(2), START);
    expect(after.state.delivered).toEqual({ raw: 'raw-1' });
    expect(after.effects).toEqual([{ do: 'apply', raw: 'raw-2', isOrdered: true }]);
  });

  it('changes nothing if other work has started', () => {
    const busy = aState({ work: { is: 'checking' } });
    expect(onRead(busy, document(2), START)).toEqual({ state: busy, effects: [] });
    expect(onRefused(busy, WHY, undefined, START)).toEqual({ state: busy, effects: [] });
  });
});

describe('a document that is refused', () => {
  it('is shown as Blocked and not read again for a while', () => {
    const { state, effects } = onRefused(reading(), WHY, 'document-2', START);
    expect(effects).toEqual([]);
    expect(state).toMatchObject({
      ofDocument: { phase: 'Blocked', code: 'config/invalid' },
      delivered: { raw: 'raw-2', documentHash: 'document-2' },
      due: { retryMs: START + 30_000 },
    });
  });

  it('is answered if it was ordered, without a change of the status', () => {
    const { state, effects } = onRefused(
      reading({ work: { is: 'reading', raw: 'raw-2', isItsTurn: true, order } }),
      WHY,
      undefined,
      START,
    );
    expect(effects).toEqual([{ do: 'answer', id: 7, result: { refused: WHY } }]);
    expect([state.ofDocument, state.work]).toEqual([undefined, undefined]);
  });
});
