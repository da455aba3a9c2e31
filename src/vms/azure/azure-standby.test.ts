// The standby contract on Azure, as far as it concerns all of its methods.
import { expect, it } from 'vitest';
import { describeReport } from '../../../sims/azure/referee/referee.ts';
import { counts, standbyRole as role, standbyTests } from './standby/standby.testing.ts';

const on = standbyTests();

it('the documented role is enough, and has nothing more', async () => {
  await on.start({ sim: { role } });
  await on.lab.standby.setStandby(on.lab.pool, { counts: counts({ paused: 1 }) });
  await on.lab.settle();
  expect((await on.lab.standby.claim(on.lab.pool, 1)).map(({ from }) => from)).toEqual(['paused']);
  await on.lab.standby.deleteStandby(on.lab.pool);
  expect(on.lab.sim.roles.unneeded()).toEqual([]);
});

it('every exchange has the form that Azure gives it', async () => {
  for (const some of [{ paused: 2 }, { paused: 1, frozen: 1, stopped: 1 }]) {
    await on.kept(some);
    await on.lab.standby.claim(on.lab.pool, 2);
    await on.lab.standby.readStandby(on.lab.pool);
    await on.lab.standby.deleteStandby(on.lab.pool);
  }
  const report = await on.report();
  process.stderr.write(`${describeReport(report)}\n`);
  expect(report.rejected).toEqual([]);
});
