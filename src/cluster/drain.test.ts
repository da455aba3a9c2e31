import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../base/clock.ts';
import { TransientError, UserError } from '../base/errors.ts';
import { Forbidden } from '../base/failures.ts';
import type { Cluster, Eviction, Pod } from './cluster.ts';
import { classifyPods, drainNode, drainTimeoutMs } from './drain.ts';
import { nextEvictions, OVERDUE_MS, RETRY_MS } from './drain-turn.ts';

function pod(name: string, more: Partial<Pod> = {}): Pod {
  return {
    namespace: 'shop',
    name,
    uid: `uid-${name}`,
    ownerKind: 'ReplicaSet',
    ownerExists: true,
    isMirror: false,
    hasEmptyDir: false,
    phase: 'Running',
    ...more,
  };
}

function bare(name: string, more: Partial<Pod> = {}): Pod {
  const { ownerKind: _, ...rest } = pod(name, more);
  return rest;
}

describe('which pods a drain moves', () => {
  const polite = { isForced: false };
  const forced = { isForced: true };
  const gone = pod('a', { ownerKind: 'DaemonSet', ownerExists: false });
  const cases: [string, Pod, Parameters<typeof classifyPods>[1], 'evict' | 'skip' | 'refuse'][] = [
    ['a replicated pod', pod('a'), polite, 'evict'],
    ['a DaemonSet pod', pod('a', { ownerKind: 'DaemonSet' }), polite, 'skip'],
    ['a DaemonSet pod, forced', pod('a', { ownerKind: 'DaemonSet' }), forced, 'skip'],
    ['a finished DaemonSet pod', pod('a', { ownerKind: 'DaemonSet', phase: 'Failed' }), polite, 'evict'],
    ['a pod whose DaemonSet is gone', gone, polite, 'refuse'],
    ['a pod whose DaemonSet is gone, forced', gone, forced, 'evict'],
    ['a static pod', bare('a', { isMirror: true }), polite, 'skip'],
    ['a static pod, forced', bare('a', { isMirror: true }), forced, 'skip'],
    ['a pod with emptyDir', pod('a', { hasEmptyDir: true }), polite, 'evict'],
    ['a pod with emptyDir to be kept', pod('a', { hasEmptyDir: true }), { ...forced, deleteEmptyDir: false }, 'refuse'],
    [
      'a finished pod with emptyDir to be kept',
      pod('a', { hasEmptyDir: true, phase: 'Succeeded' }),
      { ...polite, deleteEmptyDir: false },
      'evict',
    ],
    ['a bare pod', bare('a'), polite, 'refuse'],
    ['a bare pod, forced', bare('a'), forced, 'evict'],
    ['a finished bare pod', bare('a', { phase: 'Succeeded' }), polite, 'evict'],
    ['a long deleted bare pod', bare('a', { deletionMs: 5 }), { ...polite, deletedBeforeMs: 6 }, 'skip'],
    ['a just deleted pod', pod('a', { deletionMs: 6 }), { ...polite, deletedBeforeMs: 6 }, 'evict'],
  ];
  it.each(cases)('%s', (_, one, filter, fate) => {
    const { evict, skip, refuse } = classifyPods([one], filter);
    expect({ evict: evict.length, skip: skip.length, refuse: refuse.length }).toEqual({
      evict: 0,
      skip: 0,
      refuse: 0,
      [fate]: 1,
    });
  });

  it('gives every pod exactly one fate, and force takes nothing back but refusals', () => {
    fc.assert(
      fc.property(fc.array(anyPod()), (pods) => {
        const calm = classifyPods(pods, polite);
        const rough = classifyPods(pods, forced);
        expect(calm.evict.length + calm.skip.length + calm.refuse.length).toBe(pods.length);
        expect(rough.refuse).toEqual([]);
        expect(rough.evict).toEqual(expect.arrayContaining(calm.evict));
        expect(rough.skip).toEqual(expect.arrayContaining(calm.skip));
      }),
    );
  });
});

function anyPod(): fc.Arbitrary<Pod> {
  return fc
    .record({
      ownerKind: fc.constantFrom(undefined, 'DaemonSet', 'ReplicaSet', 'Job'),
      ownerExists: fc.boolean(),
      isMirror: fc.boolean(),
      hasEmptyDir: fc.boolean(),
      phase: fc.constantFrom('Pending' as const, 'Running' as const, 'Succeeded' as const, 'Failed' as const),
    })
    .map(({ ownerKind, ...rest }) => ({ ...bare('any', rest), ...(ownerKind && { ownerKind }) }));
}

describe('what a drain does next', () => {
  const calm = { isForced: false, graceSeconds: undefined, timeoutMs: 100_000 };
  const rough = { ...calm, isForced: true };
  const state = (pods: Pod[], tried: [string, Eviction, number][] = []) => ({
    startedMs: 0,
    pods,
    tried: new Map(
      tried.map(([name, eviction, atMs]) => [
        `uid-${name}`,
        { atMs, eviction: eviction as Exclude<Eviction, { outcome: 'gone' }> },
      ]),
    ),
  });
  const names = (pods: readonly Pod[]) => pods.map(({ name }) => name);

  it('asks for every pod at once, and not again while it is ending', () => {
    expect(names(nextEvictions(state([pod('a'), pod('b')]), calm, 0).evict)).toEqual(['a', 'b']);
    const ending = state([pod('a', { deletionMs: 30_000 })], [['a', { outcome: 'evicted' }, 0]]);
    expect(nextEvictions(ending, calm, 50_000)).toMatchObject({ evict: [], remove: [], blocked: [] });
  });

  it('asks for a blocked pod again after five seconds, or when the server says', () => {
    const blocked = state([pod('a')], [['a', { outcome: 'blocked', reason: 'no' }, 0]]);
    expect(nextEvictions(blocked, calm, RETRY_MS - 1).evict).toEqual([]);
    expect(names(nextEvictions(blocked, calm, RETRY_MS).evict)).toEqual(['a']);
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

  it('removes by force what is still there at the end or long past its grace, and not before', () => {
    const blocked = state([pod('a')], [['a', { outcome: 'blocked', reason: 'no' }, 99_000]]);
    expect(nextEvictions(blocked, rough, 99_999).remove).toEqual([]);
    expect(names(nextEvictions(blocked, rough, 100_000).remove)).toEqual(['a']);
    const overdue = state([pod('a', { deletionMs: 1, graceSeconds: 9 })], [['a', { outcome: 'evicted' }, 1_000]]);
    expect(nextEvictions(overdue, rough, 10_000 + OVERDUE_MS).remove).toEqual([]);
    expect(names(nextEvictions(overdue, rough, 10_001 + OVERDUE_MS).remove)).toEqual(['a']);
    expect(nextEvictions(overdue, { ...rough, graceSeconds: 20 }, 10_001 + OVERDUE_MS).remove).toEqual([]);
    expect(nextEvictions(overdue, calm, 10_001 + OVERDUE_MS)).toMatchObject({ remove: [], blocked: [] });
  });

  it('always looks again later than now', () => {
    fc.assert(
      fc.property(fc.nat(200_000), fc.boolean(), (nowMs, isForced) => {
        const turn = nextEvictions(state([pod('a')]), { ...calm, isForced }, nowMs);
        expect(turn.lookAgainMs).toBeGreaterThan(nowMs);
      }),
    );
  });
});

/** A cluster of pods that leave in their own way, on a clock that only waiting moves. */
function lab(pods: Pod[], ways: Record<string, Way> = {}) {
  let nowMs = 0;
  const clock: Clock = {
    nowMs: () => nowMs,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      nowMs += ms;
    },
  };
  const calls: string[] = [];
  const here = new Map(pods.map((one) => [one.uid, { pod: one, leavesMs: Number.POSITIVE_INFINITY }]));
  const cluster: Pick<Cluster, 'listPods' | 'evict' | 'deletePod'> = {
    listPods: async () => {
      for (const [uid, { leavesMs }] of here) if (leavesMs <= nowMs) here.delete(uid);
      return [...here.values()].map(({ pod: one, leavesMs }) =>
        Number.isFinite(leavesMs) ? { ...one, deletionMs: leavesMs } : one,
      );
    },
    evict: async (one, graceSeconds) => {
      calls.push(`evict ${one.name} ${graceSeconds} at ${nowMs}`);
      const entry = here.get(one.uid);
      if (!entry) return { outcome: 'gone' };
      const eviction = ways[one.name]?.evict?.(nowMs) ?? { outcome: 'evicted' };
      if (eviction.outcome === 'evicted') entry.leavesMs = nowMs + (ways[one.name]?.takesMs ?? 0);
      return eviction;
    },
    deletePod: async (one, graceSeconds) => {
      calls.push(`delete ${one.name} ${graceSeconds} at ${nowMs}`);
      if (!ways[one.name]?.hasFinalizer) here.delete(one.uid);
    },
  };
  // Only what a drain uses.
  return { cluster: cluster as Cluster, clock, calls, here, now: () => nowMs };
}

interface Way {
  evict?: (nowMs: number) => Eviction;
  takesMs?: number;
  hasFinalizer?: boolean;
}

const POLITE = { graceSeconds: 300, isForced: false };

describe('draining a node', () => {
  it('evicts with the grace asked for and waits until the pods are gone', async () => {
    const { cluster, clock, calls, now } = lab([pod('a'), pod('ds', { ownerKind: 'DaemonSet' })], {
      a: { takesMs: 7_000 },
    });
    const waits: string[] = [];
    await drainNode(cluster, 'n1', POLITE, { clock, onWaiting: (what) => waits.push(what) });
    expect(calls).toEqual(['evict a 300 at 0']);
    expect(now()).toBeGreaterThanOrEqual(7_000);
    expect(waits[0]).toBe('1 pod: shop/a (it is ending)');
  });

  it('passes on no grace where each pod has its own', async () => {
    const { cluster, clock, calls } = lab([pod('a')]);
    await drainNode(cluster, 'n1', { graceSeconds: undefined, isForced: false }, { clock });
    expect(calls).toEqual(['evict a undefined at 0']);
  });

  it('evicts nothing at all when one pod forbids it', async () => {
    const { cluster, clock, calls } = lab([pod('a'), bare('b')]);
    const error = await failure(drainNode(cluster, 'n1', POLITE, { clock }));
    expect(error).toMatchObject({ code: 'prototype/drain-refused', message: expect.stringContaining('shop/b') });
    expect(calls).toEqual([]);
  });

  it('waits for a budget and goes on when it allows', async () => {
    const { cluster, clock, calls } = lab([pod('a')], {
      a: { evict: (nowMs) => (nowMs < 12_000 ? { outcome: 'blocked', reason: 'needs 1' } : { outcome: 'evicted' }) },
    });
    await drainNode(cluster, 'n1', POLITE, { clock });
    const times = calls.map((call) => Number(call.split(' at ')[1]));
    expect(times.length).toBeGreaterThan(2);
    for (const [i, at] of times.slice(1).entries()) expect(at - times[i]!).toBeGreaterThanOrEqual(RETRY_MS);
  });

  it('names what would not leave in time, and deletes nothing', async () => {
    const { cluster, clock, calls, now } = lab([pod('a'), pod('b')], {
      b: { evict: () => ({ outcome: 'blocked', reason: 'needs 1 healthy pods and has 1 currently' }) },
    });
    const error = await failure(drainNode(cluster, 'n1', POLITE, { clock }));
    expect(error.code).toBe('prototype/drain-blocked');
    expect(error.message).toBe('could not drain n1: 1 pod: shop/b (needs 1 healthy pods and has 1 currently)');
    expect(now()).toBe(drainTimeoutMs(300));
    expect(calls.filter((call) => call.startsWith('delete'))).toEqual([]);
  });

  it('forced, deletes what would not leave, and never what belongs to a DaemonSet or to the node', async () => {
    const stays = [pod('ds', { ownerKind: 'DaemonSet' }), bare('static', { isMirror: true })];
    const { cluster, clock, calls, here } = lab([bare('a'), pod('b'), ...stays], {
      b: { evict: () => ({ outcome: 'blocked', reason: 'no' }) },
    });
    await drainNode(cluster, 'n1', { ...POLITE, isForced: true }, { clock });
    expect([...here.keys()]).toEqual(['uid-ds', 'uid-static']);
    expect(calls.filter((call) => call.startsWith('delete'))).toEqual([`delete b 0 at ${drainTimeoutMs(300)}`]);
  });

  it('forced, still comes to an end when even that does not help', async () => {
    const { cluster, clock } = lab([pod('a')], {
      a: { evict: () => ({ outcome: 'stuck', reason: 'two budgets' }), hasFinalizer: true },
    });
    const error = await failure(drainNode(cluster, 'n1', { ...POLITE, isForced: true }, { clock }));
    expect(error).toMatchObject({ code: 'prototype/drain-blocked', message: expect.stringContaining('still there') });
  });

  it('outlasts an API server that is away for a while, but not a missing right', async () => {
    const { cluster, clock, calls } = lab([pod('a')]);
    const { evict, listPods } = cluster;
    let fails = 3;
    const flaky = <T>(call: () => Promise<T>) =>
      fails-- > 0 ? Promise.reject(new TransientError('away', { code: 'x/y' })) : call();
    cluster.evict = (...args) => flaky(() => evict(...args));
    await drainNode(cluster, 'n1', POLITE, { clock });
    expect(calls.length).toBe(1);
    let looks = 0;
    cluster.listPods = (...args) => (looks++ === 0 ? listPods(...args) : flaky(() => listPods(...args)));
    cluster.evict = () => Promise.reject(new Forbidden('no right to create pods/eviction'));
    const again = lab([pod('a')]);
    again.cluster.evict = cluster.evict;
    await expect(drainNode(again.cluster, 'n1', POLITE, { clock })).rejects.toBeInstanceOf(Forbidden);
  });

  it('stops at once when interrupted, and the same call again finishes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (stopAt) => {
        const { cluster, clock, here } = lab([pod('a'), pod('b'), pod('c')], {
          a: { takesMs: 20_000 },
          b: { evict: (nowMs) => (nowMs < 15_000 ? { outcome: 'blocked', reason: 'no' } : { outcome: 'evicted' }) },
        });
        const stop = new AbortController();
        let awaits = 0;
        const counting = new Proxy(cluster, {
          get:
            (target, key: keyof Cluster) =>
            (...args: unknown[]) => {
              if (++awaits >= stopAt) stop.abort(new Error('interrupted'));
              stop.signal.throwIfAborted();
              return (target[key] as (...given: unknown[]) => unknown)(...args);
            },
        });
        await drainNode(counting, 'n1', POLITE, { clock, signal: stop.signal }).catch((error: Error) =>
          expect(error.message).toBe('interrupted'),
        );
        await drainNode(cluster, 'n1', POLITE, { clock });
        expect(here.size).toBe(0);
      }),
    );
  });
});

async function failure(draining: Promise<void>): Promise<UserError> {
  const error = await draining.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UserError);
  return error as UserError;
}
