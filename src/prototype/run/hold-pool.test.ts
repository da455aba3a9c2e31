import { describe, expect, it } from 'vitest';
import { TransientError } from '../../base/errors.ts';
import { Forbidden } from '../../base/failures.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import { FORMER, leaseName } from '../names.ts';
import { lab, pod } from '../testing.ts';
import { backgroundRenewal, holdRenewal, withPoolHold } from './hold-pool.ts';

const MINUTE_MS = 60_000;

describe('the hold on a pool', () => {
  it('is renewed while a step waits longer than the hold lasts', async () => {
    const world = lab();
    world.cluster.pods = [pod('slow', world.donor.computerName)];
    world.cluster.blocked.add('slow');
    world.intent.graceSeconds = 1800;
    const renewals: number[] = [];
    const { holdLease } = world.cluster;
    world.cluster.holdLease = async (name, lease) => {
      renewals.push(world.clock.nowMs());
      await holdLease(name, lease);
    };
    await expect(world.run()).rejects.toThrow();
    const gaps = renewals.slice(1).map((at, i) => at - renewals[i]!);
    expect(Math.max(...gaps)).toBeLessThan(15 * 60_000);
    expect(world.clock.sleptMs).toBeGreaterThan(60 * 60_000);
  });

  const asked = { pool: { id: '/pools/p', name: 'p' }, holder: 'run-1', note: 'a test' };
  const deps = () => {
    const clock = fakeClock();
    return { clock, cluster: fakeCluster(clock), signal: new AbortController().signal, onEvent: () => undefined };
  };

  it('is released however the work ends, and a failing release is ignored', async () => {
    const world = deps();
    const held = () => world.cluster.leases.get(leaseName(asked.pool));
    expect(await withPoolHold(asked, world, async () => held()?.holder)).toBe('run-1');
    expect(held()).toBeUndefined();
    await expect(withPoolHold(asked, world, () => Promise.reject(new Error('the work')))).rejects.toThrow('the work');
    expect(held()).toBeUndefined();
    world.cluster.releaseLease = () => Promise.reject(new Error('the cluster is gone'));
    expect(await withPoolHold(asked, world, async () => 'done')).toBe('done');
  });

  it('is not the hold on a pool of the same name in another resource group', async () => {
    const world = deps();
    const namesake = { ...asked, pool: { id: '/groups/two/pools/p', name: 'p' }, holder: 'run-2' };
    expect(await withPoolHold(asked, world, () => withPoolHold(namesake, world, async () => 'both'))).toBe('both');
  });

  it('waits for a run of the first release, which holds the pool under its name alone', async () => {
    const world = deps();
    const former = { holder: 'old', durationMs: 15 * MINUTE_MS, note: 'prototype of n' };
    await world.cluster.holdLease(FORMER.leaseName(asked.pool), former);
    await expect(withPoolHold(asked, world, async () => 'done')).rejects.toMatchObject({ code: 'prototype/locked' });
    world.clock.advance(16 * MINUTE_MS);
    expect(await withPoolHold(asked, world, async () => 'done')).toBe('done');
  });

  it('needs no right on the name of the first release', async () => {
    const world = deps();
    world.cluster.readLease = () => Promise.reject(new Forbidden('no'));
    expect(await withPoolHold(asked, world, async () => 'done')).toBe('done');
    const forbidden = new Forbidden('no', undefined, 'ask for it');
    const { holdLease } = world.cluster;
    world.cluster.holdLease = () => Promise.reject(forbidden);
    await expect(withPoolHold(asked, world, async () => 'done')).rejects.toMatchObject({
      message: 'no',
      next: 'ask for it; if the chart runs this: set its value pool, or targetPool, to /pools/p',
    });
    world.cluster.holdLease = holdLease;
    world.cluster.readLease = () => Promise.reject(new Error('broken'));
    await expect(withPoolHold(asked, world, async () => 'done')).rejects.toThrow('broken');
  });

  it('is retried after a transient failure, before any work begins', async () => {
    const world = deps();
    const { holdLease } = world.cluster;
    let tries = 0;
    world.cluster.holdLease = async (...args) => {
      if (++tries < 3) throw new TransientError('busy', { code: 'x' });
      return holdLease(...args);
    };
    expect(await withPoolHold(asked, world, async () => tries)).toBe(3);
  });
});

describe('a renewal', () => {
  it('is due when a third of the hold has passed since the last one', async () => {
    const clock = fakeClock();
    let holds = 0;
    const { ifDue } = holdRenewal(async () => void holds++, clock);
    for (const afterMs of [0, 4 * MINUTE_MS, MINUTE_MS, 4 * MINUTE_MS, MINUTE_MS]) {
      clock.advance(afterMs);
      await ifDue();
    }
    expect(holds).toBe(2);
  });

  it('in the background ignores a failure and tries again the next time', async () => {
    const clock = fakeClock();
    let holds = 0;
    const renewal = backgroundRenewal(() => Promise.reject(new Error(`lost ${++holds}`)), clock);
    clock.advance(6 * MINUTE_MS);
    renewal.ifDue();
    renewal.ifDue();
    await renewal.settled();
    expect(holds).toBe(2);
  });
});
