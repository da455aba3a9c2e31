import { describe, expect, it } from 'vitest';
import { about, state } from './node-status.testing.ts';
import { statusOf } from './node-status.ts';

describe('the status', () => {
  it('has wall-clock times even if the clock was set after the start', () => {
    expect(statusOf(state, { ...about, skewMs: 3_600_000 }).since).toBe('2026-11-16T06:00:00.000Z');
    expect(statusOf({ ...state, sinceMs: -5 }, about).since).toMatch(/^1970/);
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
