import { describe, expect, it } from 'vitest';
import { TransientError } from '../../base/errors.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import { LeaseHeld } from '../../cluster/lease-held.ts';
import { leaseName } from '../names.ts';
import { lab, pod } from '../testing.ts';
import { backgroundRenewal, holdRenewal, poolHold, withPoolHold } from './hold-pool.ts';

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
    const held = () => world.cluster.leases.get(leaseName('p'));
    expect(await withPoolHold(asked, world, async () => held()?.holder)).toBe('run-1');
    expect(held()).toBeUndefined();
    await expect(withPoolHold(asked, world, () => Promise.reject(new Error('the work')))).rejects.toThrow('the work');
    expect(held()).toBeUndefined();
    world.cluster.releaseLease = () => Promise.reject(new Error('the cluster is gone'));
    expect(await withPoolHold(asked, world, async () => 'done')).toBe('done');
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
    const { ifDue } = holdRenewal({ renew: async () => void holds++ }, clock);
    for (const afterMs of [0, 4 * MINUTE_MS, MINUTE_MS, 4 * MINUTE_MS, MINUTE_MS]) {
      clock.advance(afterMs);
      await ifDue();
    }
    expect(holds).toBe(2);
  });

  it('in the background ignores a failure and tries again the next time', async () => {
    const clock = fakeClock();
    let holds = 0;
    const renewal = backgroundRenewal({ renew: () => Promise.reject(new Error(`lost ${++holds}`)) }, clock);
    clock.advance(6 * MINUTE_MS);
    renewal.ifDue();
    renewal.ifDue();
    await renewal.settled();
    expect(holds).toBe(2);
  });
});

describe('the time that is left of a hold', () => {
  const clocks = { wallMs: 0, steadyMs: 0 };
  const clock = { nowMs: () => clocks.wallMs, monotonicMs: () => clocks.steadyMs };
  const held = async (take: () => Promise<void> = async () => undefined) => {
    Object.assign(clocks, { wallMs: 1e12, steadyMs: 5000 });
    const hold = poolHold(take, clock);
    expect(hold.leftMs()).toBe(0);
    await hold.renew();
    return hold;
  };

  it('ends before the hold does, so that a change on its way arrives in time', async () => {
    expect((await held()).leftMs()).toBe(12.5 * MINUTE_MS);
  });

  it('counts from before the request', async () => {
    const hold = await held(async () => {
      clocks.wallMs += 3 * MINUTE_MS;
      clocks.steadyMs += 3 * MINUTE_MS;
    });
    expect(hold.leftMs()).toBe(9.5 * MINUTE_MS);
  });

  it.each([
    ['the machine slept', 20 * MINUTE_MS, MINUTE_MS],
    ['the wall clock was set back', -60 * MINUTE_MS, 20 * MINUTE_MS],
  ])('is over when %s', async (_name, wallMs, steadyMs) => {
    const hold = await held();
    clocks.wallMs += wallMs;
    clocks.steadyMs += steadyMs;
    expect(hold.leftMs()).toBeLessThan(0);
  });

  it('is over at once when another run has taken the pool, but not after any other failure', async () => {
    let failure: Error | undefined;
    const hold = await held(async () => {
      if (failure) throw failure;
    });
    failure = new TransientError('busy', { code: 'x' });
    await expect(hold.renew()).rejects.toThrow('busy');
    expect(hold.leftMs()).toBe(12.5 * MINUTE_MS);
    failure = new LeaseHeld('p', { holder: 'other', durationMs: 1, renewedMs: 0, note: 'n' });
    await expect(hold.renew()).rejects.toThrow('other');
    expect(hold.leftMs()).toBe(0);
  });
});
