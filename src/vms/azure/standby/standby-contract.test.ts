// The suite of the standby contract, on the simulator.
import { keyOf } from '../../../../sims/azure/world.ts';
import type { InstanceRef } from '../../pools.ts';
import { type StandbyLab, standbySuite } from '../../standby.suite.ts';
import { standbyTests } from './standby.testing.ts';

const on = standbyTests();

async function azureStandby(): Promise<StandbyLab> {
  await on.start();
  const { lab } = on;
  return {
    pools: lab.provider.pools,
    standby: lab.standby,
    tiers: ['paused', 'frozen', 'stopped'],
    makePool: async (instances) => (await lab.makePool(instances as 1 | 2 | 3)).ref,
    settle: () => lab.settle(),
    breakMember: async ({ id }: InstanceRef) =>
      lab.sim.meddle((world) => {
        world.instances[keyOf(id)]!.state = 'Failed';
      }),
    // As after `az vm delete`.
    removeBroken: async ({ id }: InstanceRef) =>
      lab.sim.meddle((world) => {
        delete world.instances[keyOf(id)];
      }),
    end: async () => undefined, // `standbyTests` ends it
  };
}

standbySuite('Azure', azureStandby);
