// sims/azure/compute/sizes.ts: which sizes of machines are there, and how much of the quota is used?
import { ArmError } from '../service/arm-error.ts';
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import { type JsonObject, stringAt } from '../service/json.ts';
import { page } from '../service/pages.ts';
import type { SimWorld } from '../world.ts';
import { regionKey } from './image-references.ts';
import { requireScaleSet } from './lookup.ts';

const USUAL = ['Standard_D2s_v5', 'Standard_D4s_v5', 'Standard_D8s_v5', 'Standard_D4s_v6'];
const QUOTA = { cores: 10_000, machines: 25_000, sets: 2_500 };

/** GET …/virtualMachineScaleSets/NAME/skus: the sizes the set could have. */
export function listSetSizes(world: SimWorld, call: ArmCall): ArmAnswer {
  requireScaleSet(world, call);
  const value = sizesOf(world).map((name) => ({
    resourceType: 'Microsoft.Compute/virtualMachineScaleSets',
    sku: { name, tier: 'Standard' },
    capacity: { minimum: 0, maximum: 1000, defaultCapacity: 1, scaleType: 'Automatic' },
  }));
  return page(call, value);
}

/** GET …/Microsoft.Compute/skus: sizes of the subscription, in one region or in all. */
export function listResourceSkus(world: SimWorld, call: ArmCall): ArmAnswer {
  const filter = call.query.get('$filter');
  const wanted = filter === null ? undefined : /^location eq '([^']*)'$/.exec(filter.trim())?.[1];
  if (filter !== null && wanted === undefined) {
    throw new ArmError(400, 'BadRequest', `The filter '${filter}' is not supported by the simulator.`);
  }
  const regions = regionsOf(world).filter((region) => wanted === undefined || regionKey(region) === regionKey(wanted));
  return page(
    call,
    regions.flatMap((region) => sizesOf(world).map((name) => skuOf(name, region))),
  );
}

/** GET …/locations/REGION/usages. */
export function listUsages(world: SimWorld, call: ArmCall): ArmAnswer {
  const inRegion = ({ location }: { location: string }) =>
    regionKey(location) === regionKey(call.params.location ?? '');
  const machines = Object.values(world.instances).filter(inRegion);
  const cores = machines.reduce((sum, { scaleSetId }) => {
    const size = stringAt(world.scaleSets[scaleSetId.toLowerCase()]?.top, 'sku', 'name') ?? '';
    return sum + coresOf(size);
  }, 0);
  const sets = Object.values(world.scaleSets).filter(inRegion).length;
  return page(call, [
    usage('cores', 'Total Regional vCPUs', cores, QUOTA.cores),
    usage('virtualMachines', 'Virtual Machines', machines.length, QUOTA.machines),
    usage('virtualMachineScaleSets', 'Virtual Machine Scale Sets', sets, QUOTA.sets),
  ]);
}

function usage(value: string, localizedValue: string, currentValue: number, limit: number): JsonObject {
  return { unit: 'Count', currentValue, limit, name: { value, localizedValue } };
}

/** Those in use, and a few more. */
function sizesOf(world: SimWorld): string[] {
  const used = Object.values(world.scaleSets).map(({ top }) => stringAt(top, 'sku', 'name') ?? '');
  return [...new Set([...USUAL, ...used])].filter((name) => name !== '').sort();
}

function regionsOf(world: SimWorld): string[] {
  return [...new Set(world.resourceGroups.map(({ location }) => location))];
}

function skuOf(name: string, region: string): JsonObject {
  const isNew = generationOf(name) >= 6; // from v6 on, disks are NVMe and machines of the second generation
  const capabilities = {
    vCPUs: String(coresOf(name)),
    MemoryGB: String(coresOf(name) * 4),
    HyperVGenerations: isNew ? 'V2' : 'V1,V2',
    DiskControllerTypes: isNew ? 'NVMe' : 'SCSI',
    PremiumIO: 'True',
    AcceleratedNetworkingEnabled: 'True',
    EphemeralOSDiskSupported: 'False',
    CpuArchitectureType: 'x64',
  };
  return {
    resourceType: 'virtualMachines',
    name,
    tier: 'Standard',
    size: name.replace('Standard_', ''),
    family: `standard${name
      .replace(/^Standard_/, '')
      .replace(/\d+/, '')
      .replaceAll('_', '')}Family`,
    locations: [region],
    locationInfo: [{ location: region, zones: ['1', '2', '3'], zoneDetails: [] }],
    capabilities: Object.entries(capabilities).map(([key, value]) => ({ name: key, value })),
    restrictions: [],
  };
}

/** `Standard_D4s_v5` has 4. */
function coresOf(size: string): number {
  return Number(/^Standard_[A-Za-z]+(\d+)/.exec(size)?.[1] ?? 4);
}

function generationOf(size: string): number {
  return Number(/_v(\d+)$/.exec(size)?.[1] ?? 1);
}
