import { describe, expect, it } from 'vitest';
import { NotFound } from '../../../base/failures.ts';
import { counts, standbyTests } from './standby.testing.ts';

const on = standbyTests();

describe('a pool on Azure', () => {
  it('keeps no standby instances before it was told to, and none after they were deleted', async () => {
    await on.start();
    expect(await on.lab.standby.readStandby(on.lab.pool)).toBeUndefined();
    await on.lab.standby.deleteStandby(on.lab.pool);
    await on.lab.standby.setStandby(on.lab.pool, { counts: counts({ paused: 2 }) });
    await on.lab.settle();
    expect(on.lab.waiting()).toHaveLength(2);
    await on.lab.standby.deleteStandby(on.lab.pool);
    await on.lab.standby.deleteStandby(on.lab.pool);
    expect(await on.lab.standby.readStandby(on.lab.pool)).toBeUndefined();
    expect([on.lab.waiting(), on.lab.inService().length]).toEqual([[], 2]);
  });

  it.each([{ paused: 2 }, { frozen: 2 }, { stopped: 2 }, { paused: 1, frozen: 2, stopped: 3 }])(
    'keeps %j, and says so',
    async (some) => {
      await on.kept(some);
      expect(await on.tally()).toEqual(counts(some));
      expect((await on.lab.standby.readStandby(on.lab.pool))?.policy).toEqual({ counts: counts(some) });
    },
  );

  it('says the same twice, and changes nothing by being told twice', async () => {
    await on.kept({ paused: 2 });
    const before = await on.lab.standby.readStandby(on.lab.pool);
    await on.lab.standby.setStandby(on.lab.pool, { counts: counts({ paused: 2 }) });
    await on.lab.settle();
    expect(await on.lab.standby.readStandby(on.lab.pool)).toEqual(before);
  });

  it('neither lists nor counts the members until they are claimed', async () => {
    await on.kept({ paused: 2 });
    expect(await on.lab.provider.pools.listInstances(on.lab.pool)).toHaveLength(2);
    expect((await on.lab.provider.pools.readPool(on.lab.pool))?.capacity).toBe(2);
    await on.lab.standby.claim(on.lab.pool, 1);
    expect(await on.lab.provider.pools.listInstances(on.lab.pool)).toHaveLength(3);
    expect((await on.lab.provider.pools.readPool(on.lab.pool))?.capacity).toBe(3);
  });

  it('that does not exist is not found', async () => {
    await on.start();
    const none = { id: on.lab.pool.id.replace(/[^/]+$/, 'none'), name: 'none' };
    const policy = { counts: counts({ paused: 1 }) };
    await expect(on.lab.standby.readStandby(none)).rejects.toThrow(NotFound);
    await expect(on.lab.standby.setStandby(none, policy)).rejects.toThrow(NotFound);
    await expect(on.lab.standby.deleteStandby(none)).rejects.toThrow(NotFound);
    await expect(on.lab.standby.claim(none, 1)).rejects.toThrow(NotFound);
  });

  it('reports that Azure cannot make the instances, with the counts by state', async () => {
    await on.start();
    on.lab.sim.fail({ on: 'PUT standbyVirtualMachinePools', kind: 'standby-degraded' });
    await on.lab.standby.setStandby(on.lab.pool, { counts: counts({ paused: 1 }) });
    expect((await on.lab.standby.readStandby(on.lab.pool))?.trouble).toContain('HealthState/degraded');
    await on.lab.clock.sleep(40_000);
    expect((await on.lab.standby.readStandby(on.lab.pool))?.trouble).toBeUndefined();
  });
});
