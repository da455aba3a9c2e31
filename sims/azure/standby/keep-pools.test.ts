import { describe, expect, it } from 'vitest';
import { StandbyBench } from './standby.testing.ts';

describe('a standby pool', () => {
  it('creates all missing VMs at once, and they are ready one after another', () => {
    const bench = new StandbyBench();
    bench.put();
    bench.wait(1);
    expect(bench.counts()).toEqual({ Creating: 3 });
    bench.wait(92);
    expect(bench.counts()).toEqual({ Creating: 2, Running: 1 });
    bench.wait(10);
    expect(bench.counts()).toEqual({ Running: 3 });
  });

  it.each([
    ['Deallocated', { Deallocating: 3 }, { Deallocated: 3 }],
    ['Hibernated', { Hibernating: 3 }, { Hibernated: 3 }],
  ])('parks them: %s', (virtualMachineState, moving, parked) => {
    const bench = new StandbyBench();
    bench.put({ virtualMachineState });
    bench.wait(105);
    expect(bench.counts()).toEqual(moving);
    bench.wait(60);
    expect(bench.counts()).toEqual(parked);
  });

  it('keeps a mix of states', () => {
    const bench = new StandbyBench();
    const vmStateDistribution = { runningPercent: 20, hibernatedPercent: 30, deallocatedPercent: 50 };
    bench.put({ virtualMachineState: 'Mix', vmStateDistribution }, { capacity: 10 });
    bench.wait(600);
    expect(bench.counts()).toEqual({ Running: 2, Hibernated: 3, Deallocated: 5 });
  });

  it('moves its VMs when another state is wanted, from deallocated to hibernated through running', () => {
    const bench = new StandbyBench();
    const mix = (hibernatedPercent: number) => ({
      virtualMachineState: 'Mix',
      vmStateDistribution: { hibernatedPercent, deallocatedPercent: 100 - hibernatedPercent },
    });
    bench.put(mix(0));
    bench.wait(600);
    bench.ask('PATCH', bench.poolPath(), { body: { properties: mix(100) } });
    expect(bench.counts()).toEqual({ Starting: 3 });
    bench.wait(50);
    expect(bench.counts()).toEqual({ Hibernating: 3 });
    bench.wait(60);
    expect(bench.counts()).toEqual({ Hibernated: 3 });
  });

  it('shrinks as the set grows, not below its minimum, and grows again', () => {
    const bench = new StandbyBench();
    const profile = (minReadyCapacity: number) => ({ elasticityProfile: { maxReadyCapacity: 6, minReadyCapacity } });
    bench.put(profile(1));
    bench.wait(600);
    expect(bench.counts()).toEqual({ Running: 4 });
    bench.grow(7);
    bench.wait(600);
    expect(bench.counts()).toEqual({ Running: 1 });
    bench.grow(2);
    bench.wait(600);
    expect(bench.counts()).toEqual({ Running: 4 });
  });

  it('replaces a VM that was deleted', () => {
    const bench = new StandbyBench();
    bench.put();
    bench.wait(600);
    bench.askAndWait('DELETE', bench.members()[0] ?? '');
    expect(bench.counts()).toEqual({ Creating: 1, Running: 2 });
  });

  it('makes nothing for 30 s while it is degraded, and then tries again', () => {
    const bench = new StandbyBench();
    bench.put({}, { strike: { fate: 'standby-degraded' } });
    expect([bench.health(), bench.counts()]).toEqual(['HealthState/degraded', {}]);
    bench.wait(29);
    expect(bench.health()).toBe('HealthState/degraded');
    bench.wait(2);
    expect([bench.health(), bench.counts()]).toEqual(['HealthState/healthy', { Creating: 3 }]);
  });

  it('loses its VMs with its set', () => {
    const bench = new StandbyBench();
    bench.put();
    bench.wait(600);
    bench.askAndWait('DELETE', 'virtualMachineScaleSets/pool1');
    bench.wait(600);
    expect(bench.counts()).toEqual({});
  });
});
