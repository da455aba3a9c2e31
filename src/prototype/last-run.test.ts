import { describe, expect, it } from 'vitest';
import { TransientError, UserError } from '../base/errors.ts';
import { Forbidden } from '../base/failures.ts';
import { fakeClock } from '../base/fake-clock.ts';
import { fakeCluster } from '../cluster/fake/fake-cluster.ts';
import { LeaseHeld } from '../cluster/lease-held.ts';
import { failureOf, type LastRun, readLastRun, writeLastRun } from './last-run.ts';
import { lastRunName } from './names.ts';
import { POOL_REF } from './testing.ts';

const run: LastRun = { outcome: 'failed', endedAt: '2026-11-18T03:12:45.000Z', node: 'n1', code: 'x/y', reason: 'no' };

describe('the record of the last run', () => {
  it('is read as it was written, and belongs to one pool', async () => {
    const cluster = fakeCluster(fakeClock());
    await writeLastRun(cluster, POOL_REF, run);
    expect(await readLastRun(cluster, POOL_REF)).toEqual(run);
    expect(await readLastRun(cluster, { ...POOL_REF, id: '/groups/two/pools/pool1' })).toBeUndefined();
  });

  it('never fails the run that writes it', async () => {
    const cluster = {
      ...fakeCluster(fakeClock()),
      writeSecret: () => Promise.reject(new Error('the cluster is gone')),
    };
    expect(await writeLastRun(cluster, POOL_REF, run)).toBeUndefined();
  });

  it.each(['', '{', 'null', '{}', '{"outcome":"lost"}'])('that is damaged (%j) counts as none', async (text) => {
    const cluster = fakeCluster(fakeClock());
    await cluster.writeSecret(lastRunName(POOL_REF), { run: text });
    expect(await readLastRun(cluster, POOL_REF)).toBeUndefined();
  });

  it('is not shown to a login that may not read it; other failures are reported', async () => {
    const failing = (error: Error) => ({ ...fakeCluster(fakeClock()), readSecret: () => Promise.reject(error) });
    expect(await readLastRun(failing(new Forbidden('no')), POOL_REF)).toBeUndefined();
    await expect(readLastRun(failing(new Error('broken')), POOL_REF)).rejects.toThrow('broken');
  });
});

describe('failureOf', () => {
  const held = new LeaseHeld('lease', { holder: 'other', renewedMs: 0, durationMs: 1, note: '' });

  it.each([
    [new UserError('a', { code: 'x/a', next: 'b' }), { code: 'x/a', reason: 'a', next: 'b' }],
    [new TransientError('a', { code: 'x/a' }), { code: 'x/a', reason: 'a' }],
    [new TypeError('a bug'), { reason: 'a bug' }],
    ['text', { reason: 'text' }],
    [held, undefined],
  ])('of %s', (error, expected) => {
    expect(failureOf(error)).toEqual(expected);
  });

  it('cuts a reason that is too long for a record', () => {
    expect(failureOf(new Error('x'.repeat(100_000)))?.reason?.length).toBeLessThan(10_000);
  });
});
