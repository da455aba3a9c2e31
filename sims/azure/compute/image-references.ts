// sims/azure/compute/image-references.ts: which image does a reference resolve to now, and may this scale set use it?
import { ArmError } from '../service/arm-error.ts';
import { fieldAt, type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../service/json.ts';
import { keyOf, type OsState, type SimDefinition, type SimScaleSet, type SimVersion, type SimWorld } from '../world.ts';

export interface ResolvedImage {
  osState: OsState;
  /** `24.04.202610010` of the marketplace, or the gallery version's name. */
  exactVersion: string;
  sizeGb: number;
  version?: SimVersion;
  definition?: SimDefinition;
}

export const MARKETPLACE_FIELDS = ['publisher', 'offer', 'sku', 'version'];
/** Images outside galleries are not simulated: every id is one. */
const MANAGED_IMAGE = /\/providers\/Microsoft\.Compute\/images\/[^/]+$/i;
const MARKETPLACE_LATEST = '24.04.202611010';
const MARKETPLACE_SIZE_GB = 30;

/** What a new instance would be made from. Throws Azure's error if the image is not in that region. */
export function resolveImage(world: SimWorld, reference: JsonObject, region: string): ResolvedImage {
  const id = stringAt(reference, 'id');
  if (id === undefined) return resolveForeign(reference);
  if (isManagedImage(id)) return { osState: 'Generalized', exactVersion: '', sizeGb: MARKETPLACE_SIZE_GB };
  const { definition, version } = findGalleryImage(world, id, region);
  if (!definition || !version || version.state !== 'Succeeded' || !isIn(version, region))
    throw imageNotFound(id, region);
  return {
    osState: osStateOf(definition),
    exactVersion: version.name,
    sizeGb: version.sizeGb,
    version,
    definition,
  };
}

export function imageNotFound(id: string, region: string): ArmError {
  return new ArmError(
    404,
    'GalleryImageNotFound',
    `The gallery image ${id} is not available in ${region} region. Please contact image owner to replicate to this region, or change your requested region.`,
  );
}

/** The rules for an image and the scale set that uses it. */
export function requireFitting(set: SimScaleSet, image: ResolvedImage): void {
  const { definition } = image;
  if (!definition) return;
  requireRoom(set, image);
  const generation = stringAt(definition.properties, 'hyperVGeneration') ?? 'V1';
  if (generation !== set.generation) {
    throw new ArmError(
      400,
      'BadRequest',
      `The Hypervisor Generation '${generation}' of image '${definition.id}' does not match '${set.generation}' of scale set '${set.name}'.`,
    );
  }
  const offered = securityTypeOf(definition);
  const wanted = stringAt(set.properties, 'virtualMachineProfile', 'securityProfile', 'securityType') ?? 'Standard';
  const fits = offered === wanted || (offered === 'TrustedLaunchSupported' && wanted !== 'ConfidentialVM');
  if (!fits) {
    throw new ArmError(
      400,
      'BadRequest',
      `The provided gallery image only supports creation of VMs with '${offered}' security type, the scale set has '${wanted}'.`,
    );
  }
  requireController(set, definition);
  const fromImage = objectsAt(set.properties, 'virtualMachineProfile', 'storageProfile', 'dataDisks').filter(
    (disk) => disk.createOption === 'FromImage',
  );
  // Versions with data disks are not simulated.
  if (fromImage.length > 0) {
    throw new ArmError(
      400,
      'InvalidParameter',
      'StorageProfile.dataDisks.lun does not have required value(s) for image specified in storage profile.',
    );
  }
  const plan = objectAt(definition.properties, 'purchasePlan');
  if (plan && stringAt(set.top, 'plan', 'name') !== stringAt(plan, 'name')) {
    throw new ArmError(
      400,
      'VMMarketplaceInvalidInput',
      'Creating a virtual machine from a non Marketplace image does not need Plan information in the request, or the Plan does not match that of the image.',
    );
  }
}

/** Reported for sizes that attach disks by NVMe only. A definition without the feature supports SCSI. */
function requireController(set: SimScaleSet, definition: SimDefinition): void {
  const wanted = stringAt(set.properties, 'virtualMachineProfile', 'storageProfile', 'diskControllerType') ?? 'SCSI';
  const feature = objectsAt(definition.properties, 'features').find((f) => f.name === 'DiskControllerTypes');
  const offered = (stringAt(feature, 'value') ?? 'SCSI').toLowerCase().split(/\s*,\s*/);
  if (offered.includes(wanted.toLowerCase())) return;
  const size = stringAt(set.top, 'sku', 'name') ?? '';
  throw new ArmError(
    400,
    'InvalidParameter',
    `The VM size '${size}' cannot boot with OS image or disk. Please check that disk controller types supported by the OS image or disk is one of the supported disk controller types for the VM size '${size}'.`,
  );
}

/** Reported for scale sets and for single VMs, with the status of a conflict. */
function requireRoom(set: SimScaleSet, { sizeGb }: ResolvedImage): void {
  const given = numberAt(set.properties, 'virtualMachineProfile', 'storageProfile', 'osDisk', 'diskSizeGB');
  if (given === undefined || given >= sizeGb) return;
  throw new ArmError(
    409,
    'OperationNotAllowed',
    `The specified disk size ${given} GB is smaller than the size of the corresponding disk in the VM image: ${sizeGb} GB. This is not allowed.`,
  );
}

export function osStateOf(definition: SimDefinition): OsState {
  return stringAt(definition.properties, 'osState') === 'Specialized' ? 'Specialized' : 'Generalized';
}

function securityTypeOf(definition: SimDefinition): string {
  const feature = objectsAt(definition.properties, 'features').find((f) => f.name === 'SecurityType');
  return stringAt(feature, 'value') ?? 'Standard';
}

/** Community and shared galleries belong to others: like the marketplace, they have every image. */
function resolveForeign(reference: JsonObject): ResolvedImage {
  const inGallery = stringAt(reference, 'communityGalleryImageId') ?? stringAt(reference, 'sharedGalleryImageId');
  const pinned = inGallery === undefined ? undefined : (/\/versions\/([^/]+)$/i.exec(inGallery)?.[1] ?? 'latest');
  return resolveMarketplace(pinned === undefined ? reference : { version: pinned });
}

export function isManagedImage(id: string): boolean {
  return MANAGED_IMAGE.test(id);
}

/** The fields of one reference that each name an image. Azure accepts one. */
export function imageKindsOf(reference: JsonObject): string[] {
  const named = MARKETPLACE_FIELDS.filter((field) => typeof reference[field] === 'string');
  return [
    ...['id', 'communityGalleryImageId', 'sharedGalleryImageId'].filter(
      (field) => typeof reference[field] === 'string',
    ),
    ...(named.length > 0 ? [named.join(', ')] : []),
  ];
}

function resolveMarketplace(reference: JsonObject): ResolvedImage {
  const version = stringAt(reference, 'version') ?? 'latest';
  return {
    osState: 'Generalized',
    exactVersion: version === 'latest' ? MARKETPLACE_LATEST : version,
    sizeGb: MARKETPLACE_SIZE_GB,
  };
}

/** By the id of a version (pinned) or of a definition (the highest version that is not excluded from latest). */
export function findGalleryImage(
  world: SimWorld,
  id: string,
  region: string,
): { definition?: SimDefinition; version?: SimVersion } {
  const [definitionId = id, pinned] = keyOf(id).split('/versions/');
  const definition = world.definitions[definitionId];
  if (!definition) return {};
  const version = pinned === undefined ? latestOf(world, definitionId, region) : world.versions[keyOf(id)];
  return version ? { definition, version } : { definition };
}

function latestOf(world: SimWorld, definitionId: string, region: string): SimVersion | undefined {
  return Object.values(world.versions)
    .filter((version) => keyOf(version.id).startsWith(`${definitionId}/versions/`))
    .filter((version) => version.state === 'Succeeded' && !isExcluded(version) && isIn(version, region))
    .sort((a, b) => compareVersionNames(b.name, a.name))[0];
}

/** As integers: 2026.9.30 is older than 2026.11.1. */
export function compareVersionNames(a: string, b: string): number {
  const [left, right] = [a, b].map((name) => name.split('.').map(Number));
  for (let i = 0; i < 3; i++) if (left?.[i] !== right?.[i]) return (left?.[i] ?? 0) - (right?.[i] ?? 0);
  return 0;
}

function isExcluded(version: SimVersion): boolean {
  return fieldAt(version.properties, 'publishingProfile', 'excludeFromLatest') === true;
}

function isIn(version: SimVersion, region: string): boolean {
  return objectsAt(version.properties, 'publishingProfile', 'targetRegions').some(
    (target) => regionKey(stringAt(target, 'name') ?? '') === regionKey(region),
  );
}

/** `West Europe` and `westeurope` are one region. */
export function regionKey(name: string): string {
  return name.toLowerCase().replaceAll(' ', '');
}

export function replicaCount(properties: JsonObject): number {
  return numberAt(properties, 'publishingProfile', 'replicaCount') ?? 1;
}
