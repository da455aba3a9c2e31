// The fault campaign with the official SDK and the simulated Azure: a sample of it always, every write and every fault in a full campaign.
import { afterAll, describe, expect, it } from 'vitest';
import { seatReferee } from '../../../sims/azure/referee/referee.ts';
import { type OperationTimes, REALISTIC } from '../../../sims/azure/service/timing.ts';
import { random } from '../../../sims/azure/world.ts';
import { snapshotName } from '../names.ts';
import { Dial, FAULTS, type Fault } from '../testing.ts';
import { azureWorld } from './azure-world.testing.ts';

const IS_FULL = process.env.HEADSTART_CAMPAIGN === 'full';
/** The campaign is about faults, not about durations. */
const QUICK: OperationTimes = { ...REALISTIC, versionMs: 60_000, replicationLagMs: 30_000 };
const ORDERS = /^(?!read|list|locate|referenced|holdLease|releaseLease|recordEvent)/;
const MODES = ['Uniform', 'Flexible'] as const;

const referee = await seatReferee();
let cases = 0;

/** The indexes of all calls of a run that change something. */
async function ordersOf(mode: (typeof MODES)[number]): Promise<number[]> {
  const { lab, run } = await azureWorld(mode, referee, { timing: QUICK });
  const dial = new Dial();
  await run('first', dial);
  await lab.end();
  return [...dial.names.keys()].filter((i) => ORDERS.test(dial.names[i]!));
}

/** Runs once with a fault, then runs the same command again. Returns the violated invariants. */
async function broken(mode: (typeof MODES)[number], fault: Fault, at: number): Promise<string[]> {
  const { lab, sim, clock, cluster, donor, pool, run } = await azureWorld(mode, referee, { timing: QUICK });
  try {
    const violations: string[] = [];
    const look = async (when: string) => {
      const { power, protection, tags } = (await lab.provider.pools.readInstance(donor.ref))!;
      const { isUnschedulable, annotations } = cluster.nodes.get('donor')!;
      const now = JSON.stringify({ power, protection, tags, isUnschedulable, annotations });
      const found = JSON.stringify({
        ...{ power: donor.power, protection: donor.protection, tags: donor.tags },
        ...{ isUnschedulable: false, annotations: {} },
      });
      if (now !== found) violations.push(`${when}: ${now}`);
    };
    const dial = new Dial(fault, at);
    await run('first', dial).catch(() => undefined);
    if (!dial.isDead) await look('after the fault');
    await clock.sleep(16 * 60_000); // the hold of a dead run has expired
    const { version } = await run('second');
    await look('after the resume');
    const grown = await lab.grow(pool.ref);
    const image = grown.image.kind === 'version' ? grown.image.id : '';
    if (!image.endsWith(`/versions/${version}`)) violations.push('a new instance is not made from the version');
    if (grown.extensions.join() !== 'health') violations.push(`a new instance has ${grown.extensions.join()}`);
    if (grown.customData?.includes('runcmd')) violations.push('a new instance still bootstraps');
    if (await lab.provider.snapshots.readSnapshot(snapshotName(pool.ref)))
      violations.push('the snapshot was left behind');
    return [...violations, ...sim.violations];
  } finally {
    await lab.end();
  }
}

describe.each(MODES)('the fault campaign on a %s scale set, with the SDK', (mode) => {
  let orders: number[] = [];

  it('starts from a run without faults', async () => {
    orders = await ordersOf(mode);
    expect(orders.length).toBeGreaterThan(15);
  });

  it.each(FAULTS.map((fault, seed) => ({ fault, seed })))(
    '$fault, then the same command again',
    async ({ fault, seed }) => {
      const drawn = orders[Math.floor(random({ random: seed + mode.length }) * orders.length)]!;
      for (const at of IS_FULL ? orders : [drawn]) {
        cases++;
        expect(await broken(mode, fault, at), `${fault} at call ${at}`).toEqual([]);
      }
    },
    3_600_000,
  );
});

afterAll(async () => {
  const { checked, rejected } = await referee.report();
  process.stderr.write(`fault campaign with the SDK: ${cases} cases, ${checked} exchanges before the referee\n`);
  expect(rejected).toEqual([]);
});
