import { describe, expect, it } from 'vitest';
import { describeCounts, memberOf, stateOf } from './describe-state.ts';
import type { RuntimeView } from './schema.ts';
import { counts } from './standby.testing.ts';
import type { StandbyVm } from './standby-vms.ts';

const pool = { id: 'pool', name: 'pool' };
const standbyPool = (virtualMachineState: string) => ({
  id: 'x',
  name: 'x',
  location: 'x',
  properties: { virtualMachineState },
});
const vm = (power: StandbyVm['power'], provisioning = 'Succeeded'): StandbyVm => ({
  ...{ id: 'vm', isInPool: true, power, provisioning },
});
const FAILED = 'provisioning failed, so Azure does not hand it out; if it stays: az vm delete --ids vm';
const view = (code: string, message?: string): RuntimeView => ({
  properties: {
    instanceCountSummary: [1, 2].map(() => ({
      instanceCountsByState: [
        { state: 'Creating', count: 1 },
        { state: 'Running', count: 0 },
      ],
    })),
    status: { code, message },
  },
});

describe('a VM of a standby pool', () => {
  it.each<[StandbyVm, string, Parameters<typeof counts>[0], string, string, string]>([
    [vm('running'), 'Running', { paused: 1 }, 'ready', 'paused', 'VM is running'],
    [vm('deallocated'), 'Deallocated', { stopped: 1 }, 'ready', 'stopped', 'VM is deallocated'],
    [vm('hibernated'), 'Mix', { frozen: 1, stopped: 1 }, 'ready', 'frozen', 'VM is hibernated'],
    [vm('running'), 'Deallocated', { stopped: 1 }, 'preparing', 'stopped', 'VM is running, wanted: Deallocated'],
    [vm('running', 'Updating'), 'Running', { paused: 1 }, 'preparing', 'paused', 'VM is running, wanted: Running'],
    [
      vm('other', 'Creating'),
      'Mix',
      { paused: 1, frozen: 1 },
      'preparing',
      'frozen',
      'VM is creating, wanted: one of the mix',
    ],
    [vm('other', 'Failed'), 'Running', { paused: 1 }, 'broken', 'paused', FAILED],
  ])('%j of a pool that keeps %s', (one, kind, some, state, tier, why) => {
    expect(memberOf(pool, standbyPool(kind), one, counts(some))).toMatchObject({ state, tier, why });
  });
});

it('a healthy pool has no trouble, a degraded one has its message and counts', () => {
  const trouble = (one: RuntimeView | undefined) => stateOf(counts({ paused: 1 }), [], one).trouble;
  expect(trouble(undefined)).toBeUndefined();
  expect(trouble(view('HealthState/healthy'))).toBeUndefined();
  expect(trouble(view('HealthState/degraded', 'no quota'))).toBe(
    'Azure reports HealthState/degraded: no quota (2 Creating)',
  );
});

it('counts by state are those of all zones, without empty ones', () => {
  expect(describeCounts(view('HealthState/healthy'))).toBe('2 Creating');
  expect(describeCounts(undefined)).toBe('');
});
