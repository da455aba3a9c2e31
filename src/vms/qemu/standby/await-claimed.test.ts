import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../../base/fake-clock.ts';
import type { PoolRef } from '../../pools.ts';
import { type Lab, makeLab, poolSpec, publishEmpty, standInCluster } from '../testing.ts';
import { awaitClaimed } from './await-claimed.ts';

let clock: FakeClock;
let lab: Lab;
let readyAtMs: number;
let asked: string[];
beforeEach(() => {
  clock = fakeClock();
  asked = [];
  const isReady = async (_: string, { id }: { id: string }) => {
    asked.push(id);
    return clock.nowMs() >= readyAtMs;
  };
  lab = makeLab({ clock, joinCluster: standInCluster({ isReady }) });
});
afterEach(() => lab.end());

async function poolOf(count: number, changes = {}): Promise<PoolRef> {
  const { ref } = await lab.provider.pools.createPool(poolSpec(await publishEmpty(lab), changes));
  await lab.provider.pools.setCapacity(ref, count);
  return ref;
}

it('waits until nodes that were started a moment ago are Ready', async () => {
  const pool = await poolOf(2, { cluster: 'local' });
  const startMs = clock.nowMs();
  readyAtMs = startMs + 3000;
  await awaitClaimed(lab.context, pool, {});
  expect(clock.nowMs() - startMs).toBe(3000);
  expect(new Set(asked)).toEqual(new Set(['web-000001', 'web-000002']));
});

it('gives up on a node that is not Ready a minute after its start', async () => {
  const pool = await poolOf(1, { cluster: 'local' });
  const startMs = clock.nowMs();
  readyAtMs = Number.POSITIVE_INFINITY;
  await awaitClaimed(lab.context, pool, {});
  expect(clock.nowMs() - startMs).toBe(60_000);
});

it.each([
  { what: 'nodes that started long ago', changes: { cluster: 'local' }, agoMs: 120_000 },
  { what: 'a pool without a cluster', changes: {}, agoMs: 0 },
])('does not wait for $what', async ({ changes, agoMs }) => {
  const pool = await poolOf(1, changes);
  await clock.sleep(agoMs);
  readyAtMs = Number.POSITIVE_INFINITY;
  const startMs = clock.nowMs();
  await awaitClaimed(lab.context, pool, {});
  expect(clock.nowMs()).toBe(startMs);
});
