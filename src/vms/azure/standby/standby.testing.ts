// vms/azure/standby/standby.testing.ts: the standby contract on the simulator, with access to the simulator's state, for tests.
import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, expect } from 'vitest';
import { type Referee, type Report, seatReferee } from '../../../../sims/azure/referee/referee.ts';
import type { ScenarioInput } from '../../../../sims/azure/scenario.ts';
import type { SimOptions } from '../../../../sims/azure/start.ts';
import { instancesOf, type SimInstance } from '../../../../sims/azure/world.ts';
import type { PoolRef } from '../../pools.ts';
import type { Standby, StandbyCounts, StandbyTier } from '../../standby.ts';
import { createAzureStandby } from '../azure-standby.ts';
import { type AzureLab, azureLab } from '../testing.ts';

export interface StandbyLab extends AzureLab {
  standby: Standby;
  /** A Flexible scale set with two instances. */
  pool: PoolRef;
  /** Until the standby pool has made and parked its VMs. */
  settle(): Promise<void>;
  inService(): SimInstance[];
  waiting(): SimInstance[];
}

export async function standbyLab(
  options: {
    mode?: 'Uniform' | 'Flexible';
    scaleSet?: Partial<ScenarioInput['scaleSets'][number]>;
    sim?: Partial<Omit<SimOptions, 'clock'>>;
  } = {},
): Promise<StandbyLab> {
  const { mode = 'Flexible', scaleSet, sim } = options;
  const lab = await azureLab({
    mode,
    scaleSet: { hibernation: mode === 'Flexible', ...scaleSet },
    ...(sim && { sim }),
    extensions: [],
  });
  const { ref: pool } = await lab.makePool(2);
  const instances = () => Object.values(lab.sim.inspect().instances);
  return {
    ...lab,
    pool,
    standby: createAzureStandby(lab.settings, lab.deps),
    settle: () => lab.clock.sleep(15 * 60_000),
    inService: () => instancesOf(lab.sim.inspect(), pool),
    waiting: () => instances().filter(({ standby }) => standby?.isIn === true),
  };
}

export function counts(some: Partial<StandbyCounts>): StandbyCounts {
  return { paused: 0, frozen: 0, stopped: 0, ...some };
}

export const standbyRole = JSON.parse(
  readFileSync(new URL('../../../../docs/azure-standby-role.json', import.meta.url), 'utf8'),
);

/** One referee for all tests of a file; after each, the client must have honoured every hint. */
export function standbyTests() {
  let referee: Referee;
  const labs: StandbyLab[] = [];
  beforeAll(async () => {
    referee = await seatReferee();
  });
  afterEach(async () => {
    const violations = labs.flatMap(({ sim }) => sim.violations);
    for (const lab of labs.splice(0)) await lab.end();
    expect(violations).toEqual([]);
    expect((await referee.report()).rejected).toEqual([]);
  });
  const on = {
    get lab(): StandbyLab {
      const lab = labs.at(-1);
      if (!lab) throw new Error('the test has not started a lab');
      return lab;
    },
    async start(options: Parameters<typeof standbyLab>[0] = {}): Promise<void> {
      labs.push(await standbyLab({ ...options, sim: { referee, ...options.sim } }));
    },
    /** A pool whose standby instances are ready. */
    async kept(some: Partial<StandbyCounts>): Promise<void> {
      await on.start();
      await on.lab.standby.setStandby(on.lab.pool, { counts: counts(some) });
      await on.lab.settle();
    },
    /** The ready ones. */
    async tally(): Promise<StandbyCounts> {
      const { members = [] } = (await on.lab.standby.readStandby(on.lab.pool)) ?? {};
      const ready = (tier: StandbyTier) => members.filter((one) => one.tier === tier && one.state === 'ready').length;
      return { paused: ready('paused'), frozen: ready('frozen'), stopped: ready('stopped') };
    },
    /** How many requests could have changed something. */
    wrote: () => on.lab.sim.requests.filter(({ method }) => method !== 'GET').length,
    report: (): Promise<Report> => referee.report(),
  };
  return on;
}
