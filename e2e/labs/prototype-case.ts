// e2e/labs/prototype-case.ts: one pool in the simulated Azure on a virtual clock, its nodes on an API server or in a fake, and prototype runs on it.

import type { Told } from '../../bench/prototype-figures.ts';
import type { Referee } from '../../sims/azure/referee/referee.ts';
import type { OperationTimes } from '../../sims/azure/service/timing.ts';
import type { VirtualClock } from '../../sims/azure/service/virtual-clock.ts';
import type { AzureSim } from '../../sims/azure/start.ts';
import { instancesOf } from '../../sims/azure/world.ts';
import { systemClock, versionOfDay } from '../../src/base/clock.ts';
import type { Cluster } from '../../src/cluster/cluster.ts';
import { type FakeCluster, fakeCluster } from '../../src/cluster/fake/fake-cluster.ts';
import { galleryName } from '../../src/prototype/names.ts';
import { type RunResult, runPrototype } from '../../src/prototype/run/engine.ts';
import type { Intent } from '../../src/prototype/run/scene.ts';
import { sealNode } from '../../src/prototype/run/seal.ts';
import { Dial, pod } from '../../src/prototype/testing.ts';
import { type AzureLab, azureLab } from '../../src/vms/azure/testing.ts';
import type { InstanceRef } from '../../src/vms/pools.ts';
import { type KubeLab, SHIPPED } from './cluster-lab.ts';
import {
  CUSTOM_DATA,
  faceOf,
  type JoinedPool,
  joinPool,
  poolScenario,
  providerIdOf,
  SEALED,
  SHUTDOWN,
} from './prototype-lab.ts';

export const POOL = 'pool-3';
export const BOOT_TIMES = { readyAfterMs: 30_000, taintGoesAfterMs: 60_000 };

export interface CaseOptions {
  mode: 'Uniform' | 'Flexible';
  timing: OperationTimes;
  referee?: Referee;
  intent?: Partial<Intent>;
}

export interface Case {
  lab: AzureLab;
  nodes: readonly string[];
  donor: InstanceRef;
  told: Told[];
  run(dial?: Dial): Promise<RunResult>;
  end(): Promise<void>;
}

/** With its nodes in memory, for tests without an API server. */
export async function openFakeCase(options: CaseOptions): Promise<Case> {
  const lab = await openLab(options);
  const cluster = followingCluster(lab.sim);
  return { ...(await makeCase(lab, cluster, [...cluster.nodes.keys()], options)), end: () => lab.end() };
}

/** With its nodes on a real API server, and exactly the shipped rights there. */
export async function openRealCase(
  kube: KubeLab,
  options: CaseOptions,
): Promise<Case & { joined: JoinedPool; namespace: string }> {
  const lab = await openLab(options);
  const { namespace, cluster: real } = await kube.account(SHIPPED);
  const joined = await joinPool(kube, lab.sim, BOOT_TIMES);
  const cluster = onVirtualTime(real, lab.sim.clock, joined.tend);
  return {
    ...(await makeCase(lab, cluster, joined.nodes, options)),
    joined,
    namespace,
    end: async () => {
      await joined.leave();
      await lab.end();
    },
  };
}

let serial = 0;

function openLab({ mode, timing, referee }: CaseOptions): Promise<AzureLab> {
  const scenario = poolScenario(POOL, mode, `case${++serial}-`);
  return azureLab({ mode, scenario, sim: { timing, ...(referee && { referee }) } });
}

async function makeCase(
  lab: AzureLab,
  cluster: Cluster,
  nodes: readonly string[],
  options: CaseOptions,
): Promise<Omit<Case, 'end'>> {
  const { provider } = lab;
  const { clock } = lab.sim;
  const nodeName = nodes[0]!;
  const donor = await provider.pools.locate((await cluster.readNode(nodeName))!.providerId);
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
    ...options.intent,
  };
  const told: Told[] = [];
  const { signal } = new AbortController();
  let runs = 0;
  const run = (dial = new Dial()) => {
    const broken = { ...dial.wrapProvider(provider), cluster: dial.wrap<Cluster>(cluster) };
    return runPrototype(intent, donor, `run-${++runs}`, {
      ...broken,
      clock,
      signal,
      customData: Buffer.from(CUSTOM_DATA).toString('base64'),
      seal: (name, vmId) => sealNode(broken.cluster, name, vmId, signal),
      onEvent: (event) => told.push({ atMs: clock.nowMs(), event }),
    });
  };
  return { lab, nodes, donor, told, run };
}

/** The state of a node follows its machine; pods end as soon as they are evicted. */
function followingCluster(sim: AzureSim): FakeCluster {
  const cluster = fakeCluster(sim.clock);
  const members = Object.values(sim.inspect().scaleSets).flatMap((set) => instancesOf(sim.inspect(), set));
  for (const member of members) {
    cluster.addNode(member.computerName.toLowerCase(), { providerId: providerIdOf(member), systemUuid: member.vmId });
  }
  cluster.pods = ['web-1', 'web-2'].map((name) => pod(name, members[0]!.computerName.toLowerCase()));
  cluster.runScript = () => SEALED;
  const { readNode } = cluster;
  cluster.readNode = async (name, signal) => {
    const member = members.find(({ computerName }) => computerName.toLowerCase() === name);
    const known = cluster.nodes.get(name);
    if (member && known) {
      const { isReady, isTainted } = faceOf(sim.inspect(), member, sim, BOOT_TIMES);
      if (known.isReady !== isReady || known.taints.length > 0 !== isTainted)
        cluster.touch(name, { isReady, taints: isTainted ? [SHUTDOWN] : [] });
    }
    return readNode(name, signal);
  };
  return cluster;
}

/** Requests to the real server take real time while the virtual clock stops; pods need a moment to end or to start. */
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
