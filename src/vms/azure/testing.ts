// vms/azure/testing.ts: an Azure provider on the simulator, with access to the simulator's state, for tests.
import { createDefaultHttpClient } from '@azure/core-rest-pipeline';
import type { ScenarioInput } from '../../../sims/azure/scenario.ts';
import { VirtualClock } from '../../../sims/azure/service/virtual-clock.ts';
import { type AzureSim, type SimOptions, startAzureSim } from '../../../sims/azure/start.ts';
import { instancesOf, keyOf } from '../../../sims/azure/world.ts';
import type { InstanceOrigin, Lab } from '../lab.testing.ts';
import type { PoolRef } from '../pools.ts';
import type { Azure } from './azure.ts';
import { createAzureProvider } from './azure-provider.ts';
import { apiVersions } from './connect/api-versions.ts';
import { type AzureCall, type AzureDeps, openConnection } from './connect/connection.ts';
import { awaitOperation } from './connect/operations.ts';
import type { AzureSettings } from './connect/settings.ts';
import { imageOf, imageReferenceSchema } from './scale-set.ts';

export interface AzureLab extends Lab {
  sim: AzureSim;
  settings: AzureSettings;
  deps: AzureDeps;
}

const resourceGroup = 'contract';

export async function azureLab(options: {
  mode: 'Uniform' | 'Flexible';
  sim?: Partial<Omit<SimOptions, 'clock'>>;
  scenario?: Partial<ScenarioInput>;
  extensions?: {
    name: string;
    publisher: string;
    type: string;
    settings?: { commandToExecute: string };
    after?: string[];
  }[];
  /** Changes every pool. */
  scaleSet?: Partial<ScenarioInput['scaleSets'][number]>;
}): Promise<AzureLab> {
  const clock = new VirtualClock();
  const extensions = options.extensions ?? [
    {
      ...{ name: 'bootstrap', publisher: 'Microsoft.Azure.Extensions', type: 'CustomScript' },
      settings: { commandToExecute: 'join' },
    },
    { name: 'health', publisher: 'Microsoft.ManagedServices', type: 'ApplicationHealthLinux', after: ['bootstrap'] },
  ];
  const sizes = [1, 2, 3] as const;
  const sim = await startAzureSim({
    clock,
    scenario: {
      cluster: 'contract',
      resourceGroup,
      scaleSets: sizes.map((instances) => ({
        name: `pool-${instances}`,
        mode: options.mode,
        instances,
        customData: '#cloud-config\nruncmd: [join]\n',
        extensions,
        tags: { team: 'payments' },
        ...options.scaleSet,
      })),
      ...options.scenario,
    },
    ...options.sim,
  });
  const settings: AzureSettings = {
    subscriptionId: sim.inspect().subscriptionId,
    resourceGroup,
    endpoint: sim.url,
    authorityHost: sim.url,
    audience: sim.url,
  };
  const network = createDefaultHttpClient();
  const deps: AzureDeps = {
    clock,
    caPem: sim.caPem,
    credential: {
      getToken: async () => ({ token: 'lab', expiresOnTimestamp: clock.nowMs() + 24 * 3_600_000 }),
    },
    httpClient: { sendRequest: (request) => clock.during(() => network.sendRequest(request)) },
  };

  return {
    sim,
    settings,
    deps,
    clock,
    provider: createAzureProvider(settings, deps),
    async makePool(count) {
      const world = sim.inspect();
      const sets = Object.values(world.scaleSets);
      const set = sets.find(({ name }) => name === `pool-${count}`) ?? sets[0]!;
      const providerIds = instancesOf(world, set).map(({ instanceId, name }) =>
        options.mode === 'Uniform'
          ? `azure://${set.id}/virtualMachines/${instanceId}`
          : `azure://${set.id.replace(/virtualMachineScaleSets\/.*/, `virtualMachines/${name}`)}`,
      );
      return { ref: { id: set.id, name: set.name }, providerIds };
    },
    grow: (pool) => growPool(pool, { sim, settings, deps }),
    end: () => sim.stop(),
  };
}

export function azureOn(call: AzureCall): Azure {
  const known = {
    ...{ knownHardware: new Map(), knownTraits: new Map(), knownDisks: new Map(), knownMembers: new Map() },
    knownGroups: new Map(),
  };
  return { open: async () => call, ...known };
}

/** Adds one instance, as an autoscaler would, and returns what it was made from. */
export async function growPool(
  pool: PoolRef,
  { sim, settings, deps }: { sim: Pick<AzureSim, 'inspect'>; settings: AzureSettings; deps: AzureDeps },
): Promise<InstanceOrigin> {
  const before = new Set(Object.keys(sim.inspect().instances));
  const call = await openConnection(settings, deps).open();
  const capacity = instancesOf(sim.inspect(), pool).length + 1;
  const url = `${pool.id}?api-version=${apiVersions.compute}`;
  await awaitOperation(
    call,
    { verb: 'growing', thing: pool.name },
    await call.send({ method: 'PATCH', url, body: { sku: { capacity } } }, 'growing'),
  );
  const world = sim.inspect();
  const born = Object.entries(world.instances).find(([id]) => !before.has(keyOf(id)))![1].birth;
  return {
    image: imageOf(imageReferenceSchema.parse(born.imageReference)),
    ...(born.customData && { customData: Buffer.from(born.customData, 'base64').toString() }),
    extensions: born.extensions.map(({ name }) => String(name)),
  };
}
