import { describe, expect, it } from 'vitest';
import type { StandbyMember, StandbyState } from '../../vms/standby.ts';
import type { Screen } from '../output/screen.ts';
import { screenOf } from '../output/screen.ts';
import { testDeps } from '../testing.ts';
import { renderStandby, standbyView } from './view.ts';

const NOW_MS = 1_800_000_000_000;
const screen: Screen = screenOf(testDeps({}).deps);
const pool = { id: 'pools/p', name: 'p' };
const member = (id: string, more: Partial<StandbyMember> = {}): StandbyMember => ({
  ...{ instance: { pool, id }, tier: 'frozen', state: 'ready', why: 'parked 1min ago' },
  ...more,
});
const counts = { paused: 0, frozen: 2, stopped: 0 };
const shown = (state: StandbyState | undefined) => renderStandby(standbyView('p', state), NOW_MS, screen);

describe('the standby nodes of a pool', () => {
  it('are none when it keeps none', () => {
    expect(standbyView('p', undefined)).toEqual({ pool: 'p', members: [] });
    expect(shown(undefined)).toBe('pool p keeps no standby nodes\n');
  });

  it('are counted by tier when they are ready, and listed with their use', () => {
    const members = [
      member('p-1', { parkedMs: NOW_MS - 60_000, diskBytes: 400_400_000, memoryBytes: 1_000_000 }),
      member('p-2', { state: 'preparing', why: 'it is being prepared' }),
    ];
    const text = shown({ policy: { counts }, members });
    expect(text).toMatch(/^p: 1 of 2 frozen\n/);
    expect(text).toMatch(/p-1 +frozen +ready +1min ago +400 MB +1 MB +parked 1min ago/);
    expect(text).toMatch(/p-2 +frozen +preparing +it is being prepared/);
  });

  it.each(['no space', 'Azure reports HealthState/degraded'])('have the reason why they are too few: %s', (trouble) => {
    const state = { policy: { counts }, members: [], trouble };
    expect(shown(state)).toBe(`p: 0 of 2 frozen\np cannot be kept full: ${trouble}\n`);
    expect(standbyView('p', state)).toMatchObject({ trouble });
  });

  it('are never parked in the future when the clock was set back', () => {
    const members = [member('p-1', { parkedMs: NOW_MS + 60_000 })];
    expect(shown({ policy: { counts }, members })).toMatch(/ready +0\S* ago/);
  });

  it('of a policy without a number are none', () => {
    expect(shown({ policy: { counts: { paused: 0, frozen: 0, stopped: 0 } }, members: [] })).toBe('p: keeps none\n');
  });
});
