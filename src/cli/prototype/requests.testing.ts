// cli/prototype/requests.testing.ts: how many requests does a verb send to the simulated Azure before it changes anything?
import { instancesOf } from '../../../sims/azure/world.ts';
import { fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import { inspectionOf } from '../../prototype/donor/testing.ts';
import { galleryName, prototypeDefinitionName } from '../../prototype/names.ts';
import type { Site } from '../../prototype/site.ts';
import { azureLab } from '../../vms/azure/testing.ts';
import type { ConnectSite } from '../compose/connect-site.ts';
import { type CliResult, runVerb } from '../testing.ts';
import type { Verb } from '../verb.ts';

export const LARGE_POOL = 'large';

/** What verbs that need only the pool may send, however large it is. */
export const MOST_FOR_POOL = 15;

/** What verbs that look at every instance may send: one page per 100 instances more. */
export function mostForInstances(size: number): number {
  return 20 + Math.ceil(size / 100);
}

export interface CountedRequests {
  requests: number;
  /** Requests that the simulator answered with 429. */
  throttled: number;
  /** By the simulator's virtual clock. */
  tookMs: number;
  /** Method and path of each request. */
  sent: string[];
  /** false: the verb ended before it changed anything. */
  hasReachedChange: boolean;
}

export interface RequestLab {
  site: Site;
  /** The names of the pool's nodes, in order. */
  nodes: string[];
  /** Ends a verb at its first change, in the cluster or in the cloud, and counts the requests until then. */
  count(verb: (connect: ConnectSite) => Verb, ...argv: string[]): Promise<CountedRequests & CliResult>;
  end(): Promise<void>;
}

/** A pool of `count` nodes, another pool of three, and three control plane nodes, which are separate VMs. */
export async function requestLab(mode: 'Uniform' | 'Flexible', count: number): Promise<RequestLab> {
  const scaleSets = [
    { name: LARGE_POOL, mode, instances: count, computerNamePrefix: 'large' },
    { name: 'small', mode, instances: 3, computerNamePrefix: 'small' },
  ];
  const lab = await azureLab({ mode, scenario: { scaleSets } });
  const { sim, clock, provider } = lab;
  const cluster = fakeCluster(clock);
  const world = sim.inspect();
  const names = new Map<string, string[]>();
  for (const set of Object.values(world.scaleSets)) {
    for (const { id, instanceId, computerName, vmId } of instancesOf(world, set)) {
      const member = mode === 'Uniform' ? `${set.id}/virtualMachines/${instanceId}` : id;
      cluster.addNode(computerName, {
        // The cloud provider of Kubernetes writes the resource group in lower case.
        providerId: `azure://${member.replace(/resourceGroups\/[^/]+/, (group) => group.replace(/[^/]+$/, (name) => name.toLowerCase()))}`,
        systemUuid: vmId,
        readySinceMs: 0,
      });
      names.set(set.name, [...(names.get(set.name) ?? []), computerName]);
    }
  }
  const group = Object.values(world.scaleSets)[0]!.id.replace(/\/virtualMachineScaleSets\/.*/, '');
  for (const n of [0, 1, 2]) {
    cluster.addNode(`master-${n}`, { providerId: `azure://${group}/virtualMachines/master-${n}` });
  }
  let changedAt: number | undefined;
  const firstChange = async (): Promise<never> => {
    changedAt ??= sim.requests.length;
    throw new Error('the first change');
  };
  cluster.changeNode = firstChange;
  cluster.writeSecret = firstChange;
  // As after a run: only such a pool can be rolled back.
  sim.meddle(({ scaleSets: sets }) => {
    const large = Object.values(sets).find(({ name }) => name === LARGE_POOL)!;
    const definition = prototypeDefinitionName({ id: large.id, name: LARGE_POOL });
    const profile = large.properties.virtualMachineProfile as { storageProfile: { imageReference: unknown } };
    profile.storageProfile.imageReference = {
      id: `${group}/galleries/SIG_contract/images/${definition}/versions/2026.11.1`,
    };
  });
  const image = { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: 'latest' };
  cluster.readSecret = async () => ({ recipe: JSON.stringify({ image, customData: 'eA==', extensions: [] }) });
  cluster.runScript = (nodeName) => ({
    exitCode: 0,
    stdout: inspectionOf(cluster.nodes.get(nodeName)!.systemUuid, 'joins-by-unit\theadstart-node.service'),
    stderr: '',
  });
  const site: Site = {
    provider: {
      ...provider,
      gallery: { ...provider.gallery, ensureDefinition: firstChange },
      publisher: { ...provider.publisher, changeModel: firstChange },
    },
    cluster,
    hasCluster: true,
    channel: 'private',
    gallery: galleryName('contract'),
  };
  return {
    site,
    nodes: names.get(LARGE_POOL) ?? [],
    async count(verb, ...argv) {
      await clock.sleep(3_600_000); // every verb finds the limits of the service unused
      const [from, startMs] = [sim.requests.length, clock.nowMs()];
      changedAt = undefined;
      const ran = await runVerb(
        verb(async () => site),
        argv,
        { nowUs: clock.nowMs() * 1000 },
      );
      const sent = sim.requests.slice(from, changedAt);
      return {
        ...ran,
        requests: sent.length,
        throttled: sent.filter(({ answer }) => answer.status === 429).length,
        tookMs: clock.nowMs() - startMs,
        hasReachedChange: changedAt !== undefined,
        sent: sent.map(({ method, path }) => `${method} ${path}`),
      };
    },
    end: () => lab.end(),
  };
}
