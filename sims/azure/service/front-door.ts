// sims/azure/service/front-door.ts: what does Azure Resource Manager itself check in a write, before the provider of the resource sees it?
import { regionKey } from '../compute/image-references.ts';
import { requireKnownMembers } from '../compute/unknown-members.ts';
import { groupOf, keyOf, type SimWorld, type TrackedOperation } from '../world.ts';
import { ArmError } from './arm-error.ts';
import type { ArmRequest } from './call.ts';
import { stringAt } from './json.ts';

const TRACKED = [
  'virtualMachineScaleSets',
  'disks',
  'snapshots',
  'galleries',
  'galleries/images',
  'galleries/images/versions',
  'standbyVirtualMachinePools',
];

/** `type` is the resource's, such as `galleries/images`. */
export function requireSoundWrite(
  world: SimWorld,
  { method, url, body }: Pick<ArmRequest, 'method' | 'url' | 'body'>,
  type: string,
): void {
  if (method !== 'PUT' && method !== 'PATCH') return;
  if (method === 'PUT' && TRACKED.includes(type)) requireLocation(world, url.pathname, stringAt(body, 'location'));
  requireKnownMembers(type, body);
}

/** A resource stays in the region in which it was made. */
function requireLocation(world: SimWorld, path: string, location: string | undefined): void {
  if (location === undefined || location === '') {
    throw new ArmError(400, 'LocationRequired', 'The location property is required for this definition.');
  }
  const existing = find(world, decodeURIComponent(path));
  if (!existing || regionKey(existing.location) === regionKey(location)) return;
  throw new ArmError(
    409,
    'InvalidResourceLocation',
    `The resource '${existing.name}' already exists in location '${existing.location}' in resource group '${groupOf(existing.id)}'. A resource with the same name cannot be created in location '${location}'. Please select a new resource name.`,
  );
}

function find(world: SimWorld, path: string): TrackedOperation | undefined {
  const key = keyOf(path.replace(/\/+/g, '/').replace(/\/$/, ''));
  const { scaleSets, disks, snapshots, galleries, definitions, versions, standbyPools } = world;
  for (const kind of [scaleSets, disks, snapshots, galleries, definitions, versions, standbyPools]) {
    const found = kind[key];
    if (found) return found;
  }
  return undefined;
}
