import { beforeEach, describe, expect, it } from 'vitest';
import { Conflict } from '../../base/failures.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { LeaseHeld } from '../lease-held.ts';
import type { Client } from './connect.ts';
import { isExpired, leaseCalls, toLease } from './leases.ts';

describe('a Lease object', () => {
  it('expires by the server’s clock, with room for its whole seconds', () => {
    const lease = toLease({ spec: { holderIdentity: 'run', leaseDurationSeconds: 10 } });
    expect(lease).toEqual({ holder: 'run', durationMs: 10_000, renewedMs: 0, note: '' });
    expect(isExpired(lease, 12_000)).toBe(false);
    expect(isExpired(lease, 12_001)).toBe(true);
  });
});

interface StoredLease {
  metadata: { uid?: string; resourceVersion?: string; annotations?: Record<string, string> };
  spec: { holderIdentity: string; leaseDurationSeconds: number; renewTime: Date; leaseTransitions: number };
}

describe('the hold on a pool', () => {
  const SERVER_MS = Date.parse('2026-01-01T00:00:00Z');
  const wanted = { holder: 'run-1', note: 'n', durationMs: 10_000 };

  let stored: StoredLease | undefined;
  let serverMs: number;
  /** Called before a write: another run may be quicker. */
  let beforeWrite: () => void;
  let leases: ReturnType<typeof leaseCalls>;

  beforeEach(() => {
    stored = undefined;
    serverMs = SERVER_MS;
    beforeWrite = () => undefined;
    const write = async ({ body }: { body: StoredLease }) => {
      beforeWrite();
      stored = body;
    };
    // Only what leases use of a client.
    const client = {
      clock: fakeClock(),
      namespace: 'headstart',
      coordination: {
        readNamespacedLease: async () => stored,
        createNamespacedLease: write,
        replaceNamespacedLease: write,
        deleteNamespacedLease: async () => {
          beforeWrite();
          stored = undefined;
        },
      },
      call: (_: unknown, request: (options: object) => Promise<unknown>) => request({}),
      find: (_: unknown, request: (options: object) => Promise<unknown>, { onHeaders }: Headers = {}) => {
        onHeaders?.({ date: new Date(serverMs).toUTCString() });
        return request({});
      },
    };
    leases = leaseCalls(client as unknown as Client);
  });

  interface Headers {
    onHeaders?: (headers: { date: string }) => void;
  }

  it('is stamped with the clock of the server, and renewed by its holder', async () => {
    await leases.holdLease('pool', wanted);
    serverMs += 60_000;
    await leases.holdLease('pool', wanted);
    expect(stored?.spec.renewTime.getTime()).toBe(SERVER_MS + 60_000);
    expect(stored?.spec.leaseTransitions).toBe(0);
    expect(await leases.readLease('pool')).toMatchObject({ holder: 'run-1', note: 'n', durationMs: 10_000 });
  });

  it('is taken over only when it has expired', async () => {
    await leases.holdLease('pool', wanted);
    await expect(leases.holdLease('pool', { ...wanted, holder: 'run-2' })).rejects.toBeInstanceOf(LeaseHeld);
    serverMs += 13_000;
    await leases.holdLease('pool', { ...wanted, holder: 'run-2' });
    expect(stored?.spec).toMatchObject({ holderIdentity: 'run-2', leaseTransitions: 1 });
  });

  it('belongs to the one that was quicker', async () => {
    beforeWrite = () => {
      beforeWrite = () => undefined;
      stored = {
        metadata: {},
        spec: { holderIdentity: 'run-2', leaseDurationSeconds: 9, renewTime: new Date(serverMs), leaseTransitions: 0 },
      };
      throw new Conflict('lease');
    };
    await expect(leases.holdLease('pool', wanted)).rejects.toBeInstanceOf(LeaseHeld);
  });

  it('is released by its holder only, and losing it meanwhile is no failure', async () => {
    await leases.holdLease('pool', wanted);
    await leases.releaseLease('pool', 'run-2');
    expect(stored).toBeDefined();
    beforeWrite = () => {
      throw new Conflict('lease');
    };
    await leases.releaseLease('pool', 'run-1');
    expect(stored).toBeDefined();
    beforeWrite = () => undefined;
    await leases.releaseLease('pool', 'run-1');
    expect(stored).toBeUndefined();
  });
});
