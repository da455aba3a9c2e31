import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../base/clock.ts';
import { TransientError, UserError } from '../../base/errors.ts';
import { Forbidden } from '../../base/failures.ts';
import type { Cluster, Pod } from '../cluster.ts';
import { drainNode, drainTimeoutMs } from './drain.ts';
import type { Eviction } from './next-evictions.ts';
import { EVICTION_RETRY_MS } from './next-evictions.ts';

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

/** A cluster whose pods react to eviction in different ways, on a clock that only waiting advances. */
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
  // Only the methods that a drain uses.
  return { cluster: cluster as Cluster, clock, calls, here, now: () => nowMs };
}

interface Way {
  evict?: (nowMs: number) => Eviction;
  takesMs?: number;
  hasFinalizer?: boolean;
}

const POLITE = { graceSeconds: 300, isForced: false };

describe('drainNode', () => {
  it('evicts with the given grace period and waits until the pods are gone', async () => {
    const { cluster, clock, calls, now } = lab([pod('a'), pod('ds', { ownerKind: 'DaemonSet' })], {
      a: { takesMs: 7_000 },
    });
    const waits: string[] = [];
    await drainNode(cluster, 'n1', POLITE, { clock, onWaiting: (what) => waits.push(what) });
    expect(calls).toEqual(['evict a 300 at 0']);
    expect(now()).toBeGreaterThanOrEqual(7_000);
    expect(waits[0]).toBe('1 pod: shop/a (terminating)');
  });

  it('sends no grace period if each pod uses its own', async () => {
    const { cluster, clock, calls } = lab([pod('a')]);
    await drainNode(cluster, 'n1', { graceSeconds: undefined, isForced: false }, { clock });
    expect(calls).toEqual(['evict a undefined at 0']);
  });

  it('evicts nothing if it has to refuse one pod', async () => {
    const { cluster, clock, calls } = lab([pod('a'), bare('b')]);
    const error = await failure(drainNode(cluster, 'n1', POLITE, { clock }));
    expect(error).toMatchObject({ code: 'prototype/drain-refused', message: expect.stringContaining('shop/b') });
    expect(calls).toEqual([]);
  });

  it('waits for a budget and continues when it allows the eviction', async () => {
    const { cluster, clock, calls } = lab([pod('a')], {
      a: { evict: (nowMs) => (nowMs < 12_000 ? { outcome: 'blocked', reason: 'needs 1' } : { outcome: 'evicted' }) },
    });
    await drainNode(cluster, 'n1', POLITE, { clock });
    const times = calls.map((call) => Number(call.split(' at ')[1]));
    expect(times.length).toBeGreaterThan(2);
    for (const [i, at] of times.slice(1).entries()) expect(at - times[i]!).toBeGreaterThanOrEqual(EVICTION_RETRY_MS);
  });

  it('names pods that do not leave in time, and deletes nothing', async () => {
    const { cluster, clock, calls, now } = lab([pod('a'), pod('b')], {
      b: { evict: () => ({ outcome: 'blocked', reason: 'needs 1 healthy pods and has 1 currently' }) },
    });
    const error = await failure(drainNode(cluster, 'n1', POLITE, { clock }));
    expect(error.code).toBe('prototype/drain-blocked');
    expect(error.message).toBe('could not drain n1: 1 pod: shop/b (needs 1 healthy pods and has 1 currently)');
    expect(now()).toBe(drainTimeoutMs(300));
    expect(calls.filter((call) => call.startsWith('delete'))).toEqual([]);
  });

  it('deletes remaining pods if forced, but never DaemonSet or static pods', async () => {
    const stays = [pod('ds', { ownerKind: 'DaemonSet' }), bare('static', { isMirror: true })];
    const { cluster, clock, calls, here } = lab([bare('a'), pod('b'), ...stays], {
      b: { evict: () => ({ outcome: 'blocked', reason: 'no' }) },
    });
    await drainNode(cluster, 'n1', { ...POLITE, isForced: true }, { clock });
    expect([...here.keys()]).toEqual(['uid-ds', 'uid-static']);
    expect(calls.filter((call) => call.startsWith('delete'))).toEqual([`delete b 0 at ${drainTimeoutMs(300)}`]);
  });

  it('fails in the end if even a forced deletion has no effect', async () => {
    const { cluster, clock } = lab([pod('a')], {
      a: { evict: () => ({ outcome: 'stuck', reason: 'two budgets' }), hasFinalizer: true },
    });
    const error = await failure(drainNode(cluster, 'n1', { ...POLITE, isForced: true }, { clock }));
    expect(error).toMatchObject({ code: 'prototype/drain-blocked', message: expect.stringContaining('still present') });
  });

  it('survives an API server outage, but not a missing right', async () => {
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

  it('stops at once when interrupted, and the same call finishes the drain', async () => {
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
