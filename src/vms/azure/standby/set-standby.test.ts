import { describe, expect, it } from 'vitest';
import { counts, standbyRole as role, standbyTests } from './standby.testing.ts';

const on = standbyTests();

describe('standby instances are refused, and nothing is touched:', () => {
  it('for a Uniform set', async () => {
    await on.start({ mode: 'Uniform' });
    const setting = on.lab.standby.setStandby(on.lab.pool, { counts: counts({ paused: 1 }) });
    await expect(setting).rejects.toMatchObject({ code: 'standby/uniform', next: expect.stringContaining('Flexible') });
    expect(on.wrote()).toBe(0);
  });

  it('when another pool is attached, which is shown and not deleted', async () => {
    await on.kept({ paused: 1 });
    on.lab.sim.meddle((world) => {
      for (const pool of Object.values(world.standbyPools)) pool.name = 'theirs';
    });
    const before = on.wrote();
    const setting = on.lab.standby.setStandby(on.lab.pool, { counts: counts({ paused: 2 }) });
    await expect(setting).rejects.toMatchObject({ code: 'standby/attached' });
    await expect(on.lab.standby.deleteStandby(on.lab.pool)).rejects.toMatchObject({ code: 'standby/attached' });
    expect(await on.tally()).toEqual(counts({ paused: 1 }));
    expect(on.wrote()).toBe(before);
  });

  it('without rights, with the name of each', async () => {
    const Actions = role.Actions.filter((one: string) => !/standbyVirtualMachinePools\/(write|delete)$/.test(one));
    await on.start({ sim: { role: { ...role, Actions } } });
    const setting = on.lab.standby.setStandby(on.lab.pool, { counts: counts({ paused: 1 }) });
    await expect(setting).rejects.toThrow(
      /standbyVirtualMachinePools\/delete, Microsoft.StandbyPool\/standbyVirtualMachinePools\/write$/,
    );
    expect(on.wrote()).toBe(0);
  });
});
