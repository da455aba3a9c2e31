import { describe, expect, it } from 'vitest';
import type { StandbyMember, StandbyTier } from '../../standby.ts';
import { type Before, originsOf } from './origin.ts';
import type { StandbyVm } from './standby-vms.ts';

const member = (id: string, tier: StandbyTier = 'paused', state: StandbyMember['state'] = 'ready'): StandbyMember => ({
  instance: { id, pool: { id: 'pool', name: 'pool' } },
  tier,
  state,
  why: '',
});
const vm = (id: string, isInPool?: boolean): StandbyVm => ({
  id,
  isInPool,
  power: 'running',
  provisioning: 'Succeeded',
});
const seenWith = (members: StandbyMember[], more: Partial<Before> = {}): Before => ({
  members,
  counts: '',
  trouble: undefined,
  hasPool: true,
  ...more,
});

describe('a new instance', () => {
  it('came from the pool if it was in it and Azure says so', () => {
    expect(originsOf(seenWith([member('/VM/a', 'stopped')]), [vm('/vm/A', false)])).toEqual([{ from: 'stopped' }]);
  });

  it.each<[string, Before, StandbyVm, string]>([
    ['was in the pool, and Azure says that no pool made it', seenWith([member('a')]), vm('a'), 'although 1'],
    ['was not in the pool, and Azure says that one made it', seenWith([]), vm('a', false), 'not in the pool before'],
    ['has no pool', seenWith([], { hasPool: false }), vm('a'), 'no standby pool'],
    ['has an empty pool', seenWith([]), vm('a'), 'is empty'],
    ['has a pool that prepares', seenWith([], { counts: '2 Creating' }), vm('a'), '2 Creating'],
    ['has a degraded pool', seenWith([], { trouble: 'degraded' }), vm('a'), 'is empty; degraded'],
    ['has a pool whose VMs others took', seenWith([member('b')]), vm('a'), 'another client took them'],
  ])('is cold and says why when it %s', (_, seen, one, why) => {
    expect(originsOf(seen, [one])).toEqual([{ from: 'cold', why: expect.stringContaining(why) }]);
  });

  it('from a slower tier says that the faster one was not ready', () => {
    const seen = seenWith([member('a', 'stopped'), member('b', 'paused', 'preparing')]);
    expect(originsOf(seen, [vm('a', false)])).toEqual([{ from: 'stopped', why: '1 of a faster tier were not ready' }]);
  });
});
