import { describe, expect, it } from 'vitest';
import { objectsAt } from '../service/json.ts';
import { SET, StandbyBench } from './standby.testing.ts';

describe('a set that grows', () => {
  it('takes the VMs that are ready, and the pool is filled again', () => {
    const bench = new StandbyBench();
    bench.put();
    bench.wait(600);
    const parked = bench.members();
    expect(bench.grow(4).body?.status).toBe('Succeeded');
    expect(bench.origins()).toEqual([undefined, undefined, false, false]);
    expect(bench.counts()).toEqual({ Creating: 2, Running: 1 });
    expect(bench.members().filter((id) => parked.includes(id))).toHaveLength(1);
  });

  it('gets new ones when the pool has none in exactly the wanted state', () => {
    const bench = new StandbyBench();
    bench.put({ virtualMachineState: 'Deallocated' });
    bench.wait(105);
    expect(bench.counts()).toEqual({ Deallocating: 3 });
    bench.grow(3);
    expect(bench.origins()).toEqual([undefined, undefined, undefined]);
  });

  it('gets new ones for what the pool lacks', () => {
    const bench = new StandbyBench();
    bench.put({}, { capacity: 1 });
    bench.wait(600);
    bench.grow(4);
    expect(bench.origins().filter((one) => one === false)).toHaveLength(1);
  });

  it('does not get a VM before its delay after provisioning', () => {
    const bench = new StandbyBench();
    bench.put({ elasticityProfile: { maxReadyCapacity: 3, postProvisioningDelay: 'PT1H' } });
    bench.wait(600);
    bench.grow(3);
    expect(bench.origins()).toEqual([undefined, undefined, undefined]);
  });

  it('waits as long as the state needs: a deallocated VM is started, a running one only moves', () => {
    const took = (virtualMachineState: string) => {
      const bench = new StandbyBench();
      bench.put({ virtualMachineState });
      bench.wait(600);
      const before = bench.nowMs;
      bench.grow(3);
      return bench.nowMs - before;
    };
    expect(took('Running')).toBeLessThan(took('Hibernated'));
    expect(took('Hibernated')).toBeLessThan(took('Deallocated'));
    expect(took('Deallocated')).toBeLessThan(90_000);
  });

  it('does not count or list the VMs that wait', () => {
    const bench = new StandbyBench();
    bench.put();
    bench.wait(600);
    expect(objectsAt(bench.ask('GET', `${SET}/virtualMachines`).body, 'value')).toHaveLength(2);
    const query = `$filter='virtualMachineScaleSet/id' eq '${bench.set().id}'`;
    expect(objectsAt(bench.ask('GET', 'virtualMachines', { query }).body, 'value')).toHaveLength(2);
    expect(objectsAt(bench.ask('GET', 'virtualMachines').body, 'value')).toHaveLength(5);
  });

  it('can make its pool degraded', () => {
    const bench = new StandbyBench();
    bench.put();
    bench.wait(600);
    bench.ask('PATCH', SET, { body: { sku: { capacity: 3 } }, strike: { fate: 'standby-degraded' } });
    expect([bench.health(), bench.counts()]).toEqual(['HealthState/degraded', { Running: 2 }]);
  });
});
