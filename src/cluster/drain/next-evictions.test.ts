import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVICTION_RETRY_MS, type Eviction, nextEvictions, OVERDUE_MS } from './next-evictions.ts';

interface Pod {
  name: string;
  uid: string;
  deletionMs?: number;
  graceSeconds?: number;
}

const pod = (name: string, more: Partial<Pod> = {}): Pod => ({ name, uid: `uid-${name}`, ...more });

describe('nextEvictions', () => {
  const calm = { isForced: false, graceSeconds: undefined, timeoutMs: 100_000 };
  const rough = { ...calm, isForced: true };
  const state = (pods: Pod[], tried: [string, Eviction, number][] = []) => ({
    startedMs: 0,
    pods,
    attempts: new Map(
      tried.map(([name, eviction, atMs]) => [
        `uid-${name}`,
        { atMs, eviction: eviction as Exclude<Eviction, { outcome: 'gone' }> },
      ]),
    ),
  });
  const names = (pods: readonly Pod[]) => pods.map(({ name }) => name);

  it('evicts all pods at once, and not again while they terminate', () => {
    expect(names(nextEvictions(state([pod('a'), pod('b')]), calm, 0).evict)).toEqual(['a', 'b']);
    const ending = state([pod('a', { deletionMs: 30_000 })], [['a', { outcome: 'evicted' }, 0]]);
    expect(nextEvictions(ending, calm, 50_000)).toMatchObject({ evict: [], remove: [], blocked: [] });
  });

  it('retries a blocked pod after five seconds or the requested pause', () => {
    const blocked = state([pod('a')], [['a', { outcome: 'blocked', reason: 'no' }, 0]]);
    expect(nextEvictions(blocked, calm, EVICTION_RETRY_MS - 1).evict).toEqual([]);
    expect(names(nextEvictions(blocked, calm, EVICTION_RETRY_MS).evict)).toEqual(['a']);
    const asked = state([pod('a')], [['a', { outcome: 'blocked', reason: 'no', retryAfterMs: 10_000 }, 0]]);
    expect(nextEvictions(asked, calm, 9_999).evict).toEqual([]);
    expect(names(nextEvictions(asked, calm, 10_000).evict)).toEqual(['a']);
    const hasty = state([pod('a')], [['a', { outcome: 'blocked', reason: 'no', retryAfterMs: 0 }, 0]]);
    expect(nextEvictions(hasty, calm, 1).evict).toEqual([]);
  });

  it('gives up on a pod that can never be evicted, unless forced', () => {
    const stuck = state([pod('a')], [['a', { outcome: 'stuck', reason: 'two budgets' }, 0]]);
    expect(nextEvictions(stuck, calm, 1).blocked).toMatchObject([{ reason: 'two budgets' }]);
    expect(names(nextEvictions(stuck, rough, 1).remove)).toEqual(['a']);
  });

  it('force-deletes pods only at the timeout or long after their grace period', () => {
    const blocked = state([pod('a')], [['a', { outcome: 'blocked', reason: 'no' }, 99_000]]);
    expect(nextEvictions(blocked, rough, 99_999).remove).toEqual([]);
    expect(names(nextEvictions(blocked, rough, 100_000).remove)).toEqual(['a']);
    const overdue = state([pod('a', { deletionMs: 1, graceSeconds: 9 })], [['a', { outcome: 'evicted' }, 1_000]]);
    expect(nextEvictions(overdue, rough, 10_000 + OVERDUE_MS).remove).toEqual([]);
    expect(names(nextEvictions(overdue, rough, 10_001 + OVERDUE_MS).remove)).toEqual(['a']);
    expect(nextEvictions(overdue, { ...rough, graceSeconds: 20 }, 10_001 + OVERDUE_MS).remove).toEqual([]);
    expect(nextEvictions(overdue, calm, 10_001 + OVERDUE_MS)).toMatchObject({ remove: [], blocked: [] });
  });

  it('always schedules the next check in the future', () => {
    fc.assert(
      fc.property(fc.nat(200_000), fc.boolean(), (nowMs, isForced) => {
        const turn = nextEvictions(state([pod('a')]), { ...calm, isForced }, nowMs);
        expect(turn.lookAgainMs).toBeGreaterThan(nowMs);
      }),
    );
  });
});
