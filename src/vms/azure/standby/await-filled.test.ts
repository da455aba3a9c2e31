import { expect, it } from 'vitest';
import { keyOf } from '../../../../sims/azure/world.ts';
import { awaitFilled } from './await-filled.ts';
import { counts, standbyTests } from './standby.testing.ts';

const on = standbyTests();

it('waits through degraded health until every instance is ready', async () => {
  await on.start();
  on.lab.sim.fail({ on: 'PUT standbyVirtualMachinePools', kind: 'standby-degraded' });
  await on.lab.standby.setStandby(on.lab.pool, { counts: counts({ paused: 1, stopped: 1 }) });
  const waits: string[] = [];
  await awaitFilled(on.lab.standby, on.lab.pool, on.lab.clock, { onWaiting: (what) => waits.push(what) });
  expect(await on.tally()).toEqual(counts({ paused: 1, stopped: 1 }));
  expect(waits.find((what) => what.includes('standby VMs'))).toContain(
    '2 standby VMs of pool-2; Azure reports HealthState/degraded',
  );
});

it('says which VM takes a place and cannot be used', async () => {
  await on.kept({ paused: 2 });
  const { id } = on.lab.waiting()[0]!;
  const setBroken = (state: 'Failed' | 'Succeeded') =>
    on.lab.sim.meddle((world) => {
      world.instances[keyOf(id)]!.state = state;
    });
  setBroken('Failed');
  const waits: string[] = [];
  const onWaiting = (what: string) => {
    waits.push(what);
    setBroken('Succeeded');
  };
  await awaitFilled(on.lab.standby, on.lab.pool, on.lab.clock, { onWaiting });
  expect(waits.find((what) => what.startsWith('1 standby VMs of pool-2'))).toContain(`az vm delete --ids ${id}`);
});

it('does not wait for a pool that keeps none', async () => {
  await on.start();
  await awaitFilled(on.lab.standby, on.lab.pool, on.lab.clock);
  expect(on.lab.clock.nowMs()).toBeLessThan(Date.parse('2026-11-15T08:01:00Z'));
});
