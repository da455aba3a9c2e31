import { describe, expect, it } from 'vitest';
import { Conflict } from '../../base/failures.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { LeaseHeld } from '../lease-held.ts';
import { isExpired, leaseCalls, toLease } from './leases.ts';
import { clientOf } from './testing.ts';

describe('a Lease object', () => {
  it('expires by the server’s clock, with slack for its whole seconds', () => {
    const lease = toLease({ spec: { holderIdentity: 'run', leaseDurationSeconds: 10 } });
    expect(lease).toEqual({ holder: 'run', durationMs: 10_000, renewedMs: 0, note: '' });
    expect(isExpired(lease, 12_000)).toBe(false);
    expect(isExpired(lease, 12_001)).toBe(true);
  });
});

describe('holding a lease', () => {
  const clock = fakeClock();
  const wanted = { holder: 'us', durationMs: 1_500, note: 'run 1' };
  const leaseOf = (holder: string, renewedMs: number) => ({
    metadata: { name: 'pool', resourceVersion: '7', uid: 'u' },
    spec: { holderIdentity: holder, leaseDurationSeconds: 60, renewTime: new Date(renewedMs), leaseTransitions: 3 },
  });

  function worldWith(read: () => unknown, write?: () => Promise<unknown>) {
    const sent: { verb: string; body: Record<string, unknown> }[] = [];
    const note = (verb: string) => async (request: { body: Record<string, unknown> }) => {
      sent.push({ verb, body: request.body });
      await write?.();
    };
    const coordination = {
      readNamespacedLease: async () => read(),
      createNamespacedLease: note('create'),
      replaceNamespacedLease: note('replace'),
      deleteNamespacedLease: note('delete'),
    };
    return { sent, calls: leaseCalls(clientOf({}, {}, { coordination, clock })) };
  }

  it('without a holder creates it, with the duration rounded up to whole seconds', async () => {
    const { sent, calls } = worldWith(() => undefined);
    await calls.holdLease('pool', wanted);
    expect(sent).toMatchObject([
      { verb: 'create', body: { spec: { holderIdentity: 'us', leaseDurationSeconds: 2, leaseTransitions: 0 } } },
    ]);
  });

  it('of another live run is refused without a write', async () => {
    const { sent, calls } = worldWith(() => leaseOf('them', clock.nowMs() - 30_000));
    await expect(calls.holdLease('pool', wanted)).rejects.toThrow(LeaseHeld);
    expect(sent).toEqual([]);
  });

  it('of another run that expired takes it over and counts the transition', async () => {
    const { sent, calls } = worldWith(() => leaseOf('them', clock.nowMs() - 120_000));
    await calls.holdLease('pool', wanted);
    expect(sent).toMatchObject([
      { verb: 'replace', body: { metadata: { resourceVersion: '7' }, spec: { leaseTransitions: 4 } } },
    ]);
  });

  it('of our own renews it without counting a transition', async () => {
    const { sent, calls } = worldWith(() => leaseOf('us', clock.nowMs() - 120_000));
    await calls.holdLease('pool', wanted);
    expect(sent).toMatchObject([{ verb: 'replace', body: { spec: { leaseTransitions: 3 } } }]);
  });

  it('that another run got first names that run', async () => {
    let reads = 0;
    const { calls } = worldWith(
      () => (reads++ === 0 ? undefined : leaseOf('them', clock.nowMs())),
      async () => {
        throw new Conflict('leases pool already exists', undefined);
      },
    );
    await expect(calls.holdLease('pool', wanted)).rejects.toThrow('held by them');
  });

  it('can be released only by its holder, and only as it was read', async () => {
    const theirs = worldWith(() => leaseOf('them', 0));
    await theirs.calls.releaseLease('pool', 'us');
    expect(theirs.sent).toEqual([]);
    const ours = worldWith(() => leaseOf('us', 0));
    await ours.calls.releaseLease('pool', 'us');
    expect(ours.sent).toMatchObject([{ verb: 'delete', body: { preconditions: { uid: 'u', resourceVersion: '7' } } }]);
  });
});
