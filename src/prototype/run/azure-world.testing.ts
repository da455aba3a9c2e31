// prototype/run/azure-world.testing.ts: a pool in the simulated Azure, a donor in an in-memory cluster, and a run on it through the official SDK.
import { readFileSync } from 'node:fs';
import type { Referee } from '../../../sims/azure/referee/referee.ts';
import type { ScenarioInput } from '../../../sims/azure/scenario.ts';
import { objectAt } from '../../../sims/azure/service/json.ts';
import type { RoleDefinition } from '../../../sims/azure/service/roles.ts';
import { type OperationTimes, REALISTIC } from '../../../sims/azure/service/timing.ts';
import { groupId, instancesOf, keyOf, PROVIDER } from '../../../sims/azure/world.ts';
import { versionOfDay } from '../../base/clock.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import { type AzureLab, azureLab } from '../../vms/azure/testing.ts';
import { galleryName } from '../names.ts';
import { Dial, pod } from '../testing.ts';
import { type EngineDeps, runPrototype } from './engine.ts';
import type { Intent } from './scene.ts';

/** The role that is shipped: a run that needs more rights fails. */
const ROLE = JSON.parse(
  readFileSync(new URL('../../../docs/azure-role.json', import.meta.url), 'utf8'),
) as RoleDefinition;
export const BOOTSTRAP = {
  ...{ name: 'bootstrap', publisher: 'Microsoft.Azure.Extensions', type: 'CustomScript' },
  settings: { commandToExecute: 'join' },
};
export const HEALTH = { name: 'health', publisher: 'Microsoft.ManagedServices', type: 'ApplicationHealthLinux' };

export interface AzureWorldOptions {
  scenario?: Partial<ScenarioInput>;
  scaleSet?: Partial<ScenarioInput['scaleSets'][number]>;
  timing?: OperationTimes;
}

export async function azureWorld(
  mode: 'Uniform' | 'Flexible',
  referee: Referee,
  { scenario = {}, scaleSet = {}, timing = REALISTIC }: AzureWorldOptions = {},
) {
  const lab = await azureLab({ mode, scenario, scaleSet, sim: { referee, role: ROLE, timing } });
  const { provider, clock, sim } = lab;
  if (scenario.scaleSets?.[0]?.osState === 'Specialized') useGoldenImage(sim);
  const pool = await lab.makePool(3);
  const donorRef = await provider.pools.locate(pool.providerIds[0]!);
  const donor = (await provider.pools.readInstance(donorRef))!;
  const cluster = fakeCluster(clock);
  cluster.addNode('donor', { providerId: pool.providerIds[0]!, systemUuid: donor.vmId });
  cluster.pods = [pod('web-1', 'donor')];
  // A node is Ready as long as its machine runs.
  const readNode = cluster.readNode;
  cluster.readNode = async (name) => {
    const machine = Object.values(sim.inspect().instances).find((i) => i.vmId === donor.vmId);
    const isReady = machine?.power === 'running';
    if (cluster.nodes.get(name)?.isReady !== isReady) cluster.touch(name, { isReady });
    return readNode(name);
  };
  const intent: Intent = {
    nodeName: 'donor',
    gallery: galleryName('contract'),
    version: versionOfDay(clock.nowMs()),
    replicas: 3,
    imageHistory: 3,
    graceSeconds: 300,
    isDrainForced: false,
    isReleased: false,
    mayBeManaged: false,
  };
  const deps: EngineDeps = {
    ...provider,
    cluster,
    clock,
    signal: new AbortController().signal,
    customData: 'Ym9vdHN0cmFw',
    seal: async () => undefined,
    onEvent: () => undefined,
  };
  const run = (id: string, dial = new Dial()) =>
    runPrototype(intent, donorRef, id, {
      ...deps,
      ...dial.wrapProvider(provider),
      cluster: dial.wrap<Cluster>(cluster),
    });
  return { lab, sim, clock, cluster, pool, donor, donorRef, intent, deps, run };
}

/** A specialized image only comes from a gallery, so the pool starts from a version in another gallery. */
function useGoldenImage(sim: AzureLab['sim']): void {
  sim.meddle((azure) => {
    const set = Object.values(azure.scaleSets)[0]!;
    const { location, createdMs } = set;
    const made = { location, createdMs, tags: {}, state: 'Succeeded' as const };
    const galleryId = `${groupId(azure, 'contract')}/${PROVIDER}/galleries/golden`;
    const definitionId = `${galleryId}/images/node`;
    const id = `${definitionId}/versions/1.0.0`;
    const traits = { osType: 'Linux', osState: 'Specialized', hyperVGeneration: 'V2', architecture: 'x64' };
    const identifier = { publisher: 'other', offer: 'golden', sku: 'node' };
    const publishingProfile = { replicaCount: 1, targetRegions: [{ name: location, regionalReplicaCount: 1 }] };
    azure.galleries[keyOf(galleryId)] = { ...made, id: galleryId, name: 'golden', properties: {} };
    azure.definitions[keyOf(definitionId)] = {
      ...made,
      id: definitionId,
      name: 'node',
      properties: { ...traits, identifier },
    };
    azure.versions[keyOf(id)] = {
      ...{ ...made, id, name: '1.0.0', sizeGb: 30, replicatedMs: createdMs },
      properties: { publishingProfile },
    };
    const profiles = [set, ...instancesOf(azure, set)].map((one) =>
      'profile' in one ? one.profile : objectAt(one.properties, 'virtualMachineProfile')!,
    );
    for (const profile of profiles) objectAt(profile, 'storageProfile')!.imageReference = { id };
    for (const instance of instancesOf(azure, set)) instance.birth.imageReference = { id };
  });
}
