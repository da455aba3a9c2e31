// e2e/prototype.test.ts: does the whole operation work on real parts: engine, Azure SDK, refereed simulator on a virtual clock, real API server?
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeRun, MOST_BEYOND_PERCENT, runFigures } from '../bench/prototype-figures.ts';
import { describeReport, type Referee, seatReferee } from '../sims/azure/referee/referee.ts';
import type { Fault as SimFault } from '../sims/azure/service/faults.ts';
import { type OperationTimes, REALISTIC } from '../sims/azure/service/timing.ts';
import { random } from '../sims/azure/world.ts';
import { AUTOSCALER_ANNOTATION, snapshotName } from '../src/prototype/names.ts';
import type { Intent } from '../src/prototype/run/scene.ts';
import { Dial, FAULTS } from '../src/prototype/testing.ts';
import type { Protection } from '../src/vms/pools.ts';
import { type KubeLab, openLab } from './labs/cluster-lab.ts';
import { expireLease } from './labs/expire-lease.ts';
import { BOOT_TIMES, type CaseOptions, openRealCase, POOL } from './labs/prototype-case.ts';
import { leaks, MERGE, publicMarks, SEALED } from './labs/prototype-lab.ts';

/** The first run builds Kubernetes. */
const BUILD_MS = 2 * 3_600_000;
/** A short image build, because the fault cases do not test waiting. */
const QUICK: OperationTimes = { ...REALISTIC, versionMs: 60_000, replicationLagMs: 30_000 };
const PROTECTED: Protection = { fromScaleIn: true, fromPoolActions: false };

let kube: KubeLab;
let referee: Referee;
let requests = 0;

beforeAll(async () => {
  referee = await seatReferee();
  kube = await openLab();
  kube.kubelets.dials.runScript = () => SEALED;
}, BUILD_MS);

afterAll(() => kube?.close());

interface Case extends Awaited<ReturnType<typeof openRealCase>> {
  /** Everything about the donor that a run may change. */
  look(): Promise<unknown>;
}

async function openCase(
  mode: CaseOptions['mode'] = 'Uniform',
  timing: OperationTimes = QUICK,
  intent: Partial<Intent> = {},
): Promise<Case> {
  const one = await openRealCase(kube, { mode, timing, referee, intent });
  return {
    ...one,
    look: async () => {
      await one.joined.tend();
      const { metadata, spec } = await kube.core.readNode({ name: one.nodes[0]! });
      const { power, protection, tags } = (await one.lab.provider.pools.readInstance(one.donor))!;
      const { annotations, labels } = metadata!;
      return { annotations: annotations ?? {}, labels, spec, power, protection, tags };
    },
    end: async () => {
      requests += one.lab.sim.requests.length;
      await one.end();
    },
  };
}

async function expectDone({ lab, joined, told }: Case, version: string): Promise<void> {
  const born = await lab.grow(joined.pool);
  expect(born.image).toMatchObject({ kind: 'version', id: expect.stringMatching(`/versions/${version}$`) });
  expect(born.customData ?? '').not.toContain('runcmd');
  expect(born.extensions).toEqual(['health']);
  expect(await lab.provider.snapshots.readSnapshot(snapshotName(joined.pool))).toBeUndefined();
  expect(lab.sim.violations).toEqual([]);
  expect(leaks(`${JSON.stringify(told)}${await publicMarks(kube, lab.sim)}`, [kube.plane.token])).toEqual([]);
}

const withCase =
  (work: (one: Case) => Promise<void>, ...options: Parameters<typeof openCase>) =>
  async () => {
    const one = await openCase(...options);
    try {
      await work(one);
    } finally {
      await one.end();
    }
  };

describe.each(['Uniform', 'Flexible'] as const)('a run on a %s scale set', (mode) => {
  it(
    'makes new instances like the donor, which is out of service hardly longer than the cloud takes',
    withCase(
      async (one) => {
        const found = await one.look();
        const dial = new Dial();
        const before = one.lab.sim.requests.length;
        const { version, steps } = await one.run(dial);
        expect(steps).toContain('drain');
        const figures = runFigures({
          told: one.told,
          requests: one.lab.sim.requests.slice(before),
          calls: dial.calls,
          timing: REALISTIC,
          backAfterMs: BOOT_TIMES.taintGoesAfterMs,
        });
        console.log(`${mode}: ${describeRun(figures)}`);
        expect(figures.beyondPercent).toBeLessThan(MOST_BEYOND_PERCENT);
        expect(await one.look()).toEqual(found);
        await expectDone(one, version);
        expect((await one.run()).steps).toEqual([]);
      },
      mode,
      REALISTIC,
    ),
  );
});

describe('a donor keeps its earlier state', () => {
  const patch = async ({ joined }: Case, body: object) => {
    await kube.core.patchNode({ name: joined.nodes[0]!, body }, MERGE);
  };

  it.each<[string, (one: Case) => Promise<void>]>([
    ['already cordoned', (one) => patch(one, { spec: { unschedulable: true } })],
    [
      'already guarded from the autoscaler',
      (one) => patch(one, { metadata: { annotations: { [AUTOSCALER_ANNOTATION]: 'false', owner: 'team-a' } } }),
    ],
    ['already protected', ({ lab, donor }) => lab.provider.pools.setProtection(donor, PROTECTED)],
  ])('%s', (_, prepare) =>
    withCase(async (one) => {
      await prepare(one);
      const found = await one.look();
      const { version } = await one.run();
      expect(await one.look()).toEqual(found);
      await expectDone(one, version);
    })(),
  );
});

const WRITES = /^(?!read|list|locate|referenced|holdLease|releaseLease)/;
const IN_THE_CLOUD: SimFault[] = [
  { on: 'POST virtualMachines/powerOff', kind: 'answer-lost' },
  { on: 'PUT snapshots', kind: 'lro-failed-but-applied' },
  { on: 'POST virtualMachines/start', kind: 'allocation-failed' },
  { on: 'PUT versions', kind: 'lro-failed' },
  { on: 'PATCH virtualMachineScaleSets', kind: 'conflict' },
  { on: '* *', kind: 'connection-reset', chance: 0.1, times: 50 },
];

describe('a sample of the fault campaign', () => {
  let order: string[] = [];

  it(
    'has a run without faults to choose from',
    withCase(async (one) => {
      const dial = new Dial();
      await one.run(dial);
      order = dial.names;
    }),
  );

  it.each(FAULTS.map((fault, seed) => ({ fault, seed })))(
    '$fault at an order drawn from seed $seed',
    ({ fault, seed }) =>
      withCase(async (one) => {
        const writes = [...order.keys()].filter((i) => WRITES.test(order[i]!));
        const at = writes[Math.floor(random({ random: seed }) * writes.length)]!;
        const found = await one.look();
        const dial = new Dial(fault, at);
        const failed = await one.run(dial).then(
          () => false,
          () => true,
        );
        console.log(`${fault} at ${dial.names[at]} (call ${at}): ${failed ? 'failed, resumed' : 'ridden out'}`);
        if (dial.isDead) await expireLease(kube.plane.kubeconfig, one.namespace, POOL);
        else expect(await one.look()).toEqual(found);
        const { version } = await one.run();
        expect(await one.look()).toEqual(found);
        await expectDone(one, version);
      })(),
  );

  it.each(IN_THE_CLOUD)('$kind on $on', (fault) =>
    withCase(
      async (one) => {
        const found = await one.look();
        one.lab.sim.fail(fault);
        const failed = await one.run().then(
          () => false,
          () => true,
        );
        const retries = one.told.filter(({ event }) => event.event === 'retry').length;
        console.log(`${fault.kind} on ${fault.on}: ${failed ? 'failed, resumed' : `ridden out, ${retries} retries`}`);
        expect(await one.look()).toEqual(found);
        one.lab.sim.healAll();
        const { version } = await one.run();
        expect(await one.look()).toEqual(found);
        await expectDone(one, version);
      },
      'Uniform',
      QUICK,
      // Only a deallocated donor can fail for lack of capacity.
      { isReleased: fault.kind === 'allocation-failed' },
    )(),
  );
});

describe('the referee', () => {
  it('rejected nothing', async () => {
    const report = await referee.report();
    console.log(`${requests} requests; ${describeReport(report)}`);
    for (const field of report.recorded.leftOut) console.log(`  left out: ${field}`);
    for (const field of report.recorded.unrecorded) console.log(`  never recorded: ${field}`);
    expect(report.rejected).toEqual([]);
  });
});
