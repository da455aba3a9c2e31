// e2e/prototype.test.ts: does the whole operation hold on real parts: engine, Azure SDK, refereed simulator on a virtual clock, real API server?
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault as SimFault } from '../sims/azure/faults.ts';
import { type Referee, seatReferee } from '../sims/azure/referee/referee.ts';
import { REALISTIC, type Timing } from '../sims/azure/timing.ts';
import type { VirtualClock } from '../sims/azure/virtual-clock.ts';
import { random } from '../sims/azure/world.ts';
import { systemClock, versionOfDay } from '../src/base/clock.ts';
import type { Cluster } from '../src/cluster/cluster.ts';
import { type RunEvent, type RunResult, runPrototype } from '../src/prototype/engine.ts';
import { AUTOSCALER_ANNOTATION, galleryName, snapshotName } from '../src/prototype/names.ts';
import type { Intent } from '../src/prototype/scene.ts';
import { sealNode } from '../src/prototype/seal.ts';
import { Dial, FAULTS } from '../src/prototype/testing.ts';
import { type AzureLab, azureLab } from '../src/vms/azure/testing.ts';
import type { Factory, InstanceRef, Protection } from '../src/vms/factory.ts';
import { type KubeLab, openLab, SHIPPED } from './cluster-lab.ts';
import {
  CUSTOM_DATA,
  expireLease,
  type JoinedPool,
  joinPool,
  leaks,
  MERGE,
  poolScenario,
  publicMarks,
  SEALED,
} from './prototype-lab.ts';

/** The first run builds Kubernetes. */
const BUILD_MS = 2 * 3_600_000;
const READY_AFTER_MS = 30_000;
const TAINT_GOES_AFTER_MS = 60_000;
/** A short image build: the fault cases are about what goes wrong, not about waiting for it. */
const QUICK: Timing = { ...REALISTIC, versionMs: 60_000, replicationLagMs: 30_000 };
const POOL = 'pool-3';
const PROTECTED: Protection = { fromScaleIn: true, fromPoolActions: false };

let kube: KubeLab;
let referee: Referee;
let requests = 0;
let serial = 0;

beforeAll(async () => {
  referee = await seatReferee();
  kube = await openLab();
  kube.kubelets.dials.runScript = () => SEALED;
}, BUILD_MS);

afterAll(() => kube?.close());

interface Case {
  lab: AzureLab;
  joined: JoinedPool;
  namespace: string;
  donor: InstanceRef;
  told: { atMs: number; event: RunEvent }[];
  run(dial?: Dial): Promise<RunResult>;
  /** Everything about the donor that a run may change. */
  look(): Promise<unknown>;
  end(): Promise<void>;
}

async function openCase(
  mode: 'Uniform' | 'Flexible' = 'Uniform',
  timing: Timing = QUICK,
  more: Partial<Intent> = {},
): Promise<Case> {
  const scenario = poolScenario(POOL, mode, `case${++serial}-`);
  const lab = await azureLab({ mode, scenario, sim: { referee, timing } });
  const { factory, sim } = lab;
  const { clock } = sim;
  const { namespace, cluster: real } = await kube.account(SHIPPED);
  const joined = await joinPool(kube, sim, { readyAfterMs: READY_AFTER_MS, taintGoesAfterMs: TAINT_GOES_AFTER_MS });
  const nodeName = joined.nodes[0]!;
  const donor = await factory.locate((await real.readNode(nodeName))!.providerId);
  const cluster = onVirtualTime(real, clock, joined.tend);
  const intent: Intent = {
    nodeName,
    gallery: galleryName('contract'),
    version: versionOfDay(clock.nowMs()),
    replicas: 3,
    imageHistory: 3,
    graceSeconds: 300,
    isDrainForced: false,
    isReleased: false,
    mayBeManaged: false,
    ...more,
  };
  const told: Case['told'] = [];
  const signal = new AbortController().signal;
  let runs = 0;
  return {
    lab,
    joined,
    namespace,
    donor,
    told,
    run: (dial = new Dial()) => {
      const broken = { factory: dial.wrap<Factory>(factory), cluster: dial.wrap<Cluster>(cluster) };
      return runPrototype(intent, donor, `run-${++runs}`, {
        ...broken,
        clock,
        signal,
        customData: Buffer.from(CUSTOM_DATA).toString('base64'),
        seal: (name, vmId) => sealNode(broken.cluster, name, vmId, signal),
        tell: (event) => told.push({ atMs: clock.nowMs(), event }),
      });
    },
    look: async () => {
      await joined.tend();
      const { metadata, spec } = await kube.core.readNode({ name: nodeName });
      const { power, protection, tags } = (await factory.readInstance(donor))!;
      const { annotations, labels } = metadata!;
      return { annotations: annotations ?? {}, labels, spec, power, protection, tags };
    },
    end: async () => {
      requests += sim.requests.length;
      await joined.leave();
      await lab.end();
    },
  };
}

/** Requests to the real server take real time, and the virtual clock stands still meanwhile; pods need a moment to end or to start. */
function onVirtualTime(cluster: Cluster, clock: VirtualClock, tend: () => Promise<void>): Cluster {
  return new Proxy(cluster, {
    get: (object, key: keyof Cluster) => {
      const call = object[key] as (...args: unknown[]) => Promise<unknown>;
      return (...args: unknown[]) =>
        clock.during(async () => {
          if (key === 'readNode' || key === 'evict') await tend();
          const answer = await call(...args);
          if (key === 'evict') await systemClock.sleep(250);
          return answer;
        });
    },
  });
}

async function expectDone({ lab, joined, told }: Case, version: string): Promise<void> {
  const born = await lab.grow(joined.pool);
  expect(born.image).toMatchObject({ kind: 'version', id: expect.stringMatching(`/versions/${version}$`) });
  expect(born.customData ?? '').not.toContain('runcmd');
  expect(born.extensions).toEqual(['health']);
  expect(await lab.factory.readSnapshot(snapshotName(POOL))).toBeUndefined();
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
        const asked = one.lab.sim.requests.slice(before);
        const polls = asked.filter(({ path }) => /operations\//i.test(path)).length;
        const { outMs, simulatedMs } = downtime(one);
        const beyond = (100 * (outMs - simulatedMs)) / simulatedMs;
        console.log(
          `${mode}: ${asked.length} requests to Azure (${polls} of them polls), ${dial.calls} calls to cloud and cluster; donor out for ${outMs / 1000} s, the operations alone ${simulatedMs / 1000} s: ${beyond.toFixed(1)} % beyond`,
        );
        expect(beyond).toBeLessThan(5);
        expect(await one.look()).toEqual(found);
        await expectDone(one, version);
        expect((await one.run()).steps).toEqual([]);
      },
      mode,
      REALISTIC,
    ),
  );
});

/** From the order to stop until everything is restored, and what the simulated cloud and node need of it by themselves. */
function downtime({ told }: Case): { outMs: number; simulatedMs: number } {
  const stop = told.find(({ event }) => event.event === 'step' && event.step === 'stop-donor')!;
  const restore = told.findIndex(({ event }) => event.event === 'step' && event.step === 'restore-node');
  const { powerOffMs, snapshotMs, startMs, updateInstanceMs } = REALISTIC;
  return {
    outMs: told[restore + 1]!.atMs - stop.atMs,
    // Protection put back, and the mark taken off: two updates of the instance.
    simulatedMs: powerOffMs + snapshotMs + startMs + TAINT_GOES_AFTER_MS + 2 * updateInstanceMs,
  };
}

describe('a donor is left exactly as it was found', () => {
  const patch = async ({ joined }: Case, body: object) => {
    await kube.core.patchNode({ name: joined.nodes[0]!, body }, MERGE);
  };

  it.each<[string, (one: Case) => Promise<void>]>([
    ['already cordoned by somebody', (one) => patch(one, { spec: { unschedulable: true } })],
    [
      'already guarded from the autoscaler',
      (one) => patch(one, { metadata: { annotations: { [AUTOSCALER_ANNOTATION]: 'false', owner: 'team-a' } } }),
    ],
    ['already protected', ({ lab, donor }) => lab.factory.setProtection(donor, PROTECTED)],
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
        if (dial.isDead) await expireLease(kube, one.namespace, POOL);
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
      // Only who gave its place up can find none.
      { isReleased: fault.kind === 'allocation-failed' },
    )(),
  );
});

describe('the referee', () => {
  it('rejected nothing', async () => {
    const { checked, rejected } = await referee.report();
    console.log(
      `referee: ${requests} requests, ${checked} exchanges checked, ${rejected.length} rejected${referee.sat ? '' : ' (did not sit: no specs)'}`,
    );
    expect(rejected).toEqual([]);
  });
});
