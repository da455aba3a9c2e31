import { describe, expect, it } from 'vitest';
import { about, state } from './node-status.testing.ts';
import { statusOf } from './node-status.ts';

describe('the status', () => {
  it('has wall-clock times even if the clock was set after the start', () => {
    expect(statusOf(state, { ...about, skewMs: 3_600_000 }).since).toBe('2026-11-16T06:00:00.000Z');
    expect(statusOf({ ...state, sinceMs: -5 }, about).since).toMatch(/^1970/);
  });

  it('says where and since when a node is in standby, and when it left', () => {
    const standby = { where: 'pool', sinceMs: 0, isConfirmed: true, isWoken: false, isPrepared: true } as const;
    expect(statusOf({ ...state, standby }, { ...about, skewMs: 1000 }).standby).toEqual({
      where: 'pool',
      since: '1970-01-01T00:00:01.000Z',
      isConfirmed: true,
    });
    const claimed = { ...standby, left: { atMs: 2000, by: 'metadata' } as const, joinedMs: 2300 };
    expect(statusOf({ ...state, standby: claimed }, about).standby).toMatchObject({
      leftAt: '1970-01-01T00:00:02.000Z',
      leftBy: 'metadata',
      joinedAt: '1970-01-01T00:00:02.300Z',
    });
    expect(statusOf(state, about)).not.toHaveProperty('standby');
  });

  it('shows the status of the document instead of the node, and what to do', () => {
    const refused = { ...state, ofDocument: { phase: 'Blocked', code: 'config/expired', detail: 'x' } } as const;
    expect(statusOf(refused, about)).toMatchObject({
      phase: 'Blocked',
      code: 'config/expired',
      next: 'deliver a newer document',
    });
  });
});
