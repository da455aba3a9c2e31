// sims/azure/compute/births.ts: what does a new instance of a scale set look like, and from what was it made?
import { ArmError } from '../service/arm-error.ts';
import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../service/json.ts';
import {
  type Birth,
  groupId,
  groupOf,
  hex,
  instancesOf,
  keyOf,
  PROVIDER,
  random,
  type SimInstance,
  type SimScaleSet,
  type SimWorld,
  timestamp,
  uuid,
} from '../world.ts';
import { type ResolvedImage, requireFitting, resolveImage } from './image-references.ts';

/** Adds `count` instances in the state `Creating`, made from the current model. Throws if the image is not available. */
export function addInstances(world: SimWorld, set: SimScaleSet, count: number, nowMs: number): SimInstance[] {
  const image = requireImage(world, set);
  return Array.from({ length: count }, () => addInstance(world, set, image, nowMs));
}

/** What a new instance would be made from, after all checks of a scale-out. */
export function requireImage(world: SimWorld, set: SimScaleSet): ResolvedImage {
  const reference = objectAt(set.properties, 'virtualMachineProfile', 'storageProfile', 'imageReference') ?? {};
  const image = resolveImage(world, reference, set.location);
  requireFitting(set, image);
  return image;
}

function addInstance(world: SimWorld, set: SimScaleSet, image: ResolvedImage, nowMs: number): SimInstance {
  const profile = objectAt(set.properties, 'virtualMachineProfile') ?? {};
  const { instanceId, name, computerName, id } = nameInstance(world, set, profile);
  const isEphemeral = objectAt(profile, 'storageProfile', 'osDisk', 'diffDiskSettings') !== undefined;
  const instance: SimInstance = {
    id,
    name,
    scaleSetId: set.id,
    mode: set.mode,
    instanceId,
    location: set.location,
    tags: { ...set.tags },
    createdMs: nowMs,
    vmId: uuid(world),
    computerName,
    etag: 1,
    power: 'starting',
    state: 'Creating',
    protection: null,
    osDiskId: null,
    modelVersion: set.modelVersion,
    profile: structuredClone(profile),
    capabilities: structuredClone(objectAt(set.properties, 'additionalCapabilities') ?? null),
    birth: birthOf(set, image),
    standby: null,
  };
  if (!isEphemeral) instance.osDiskId = addOsDisk(world, set, instance, image, nowMs);
  world.instances[keyOf(id)] = instance;
  return instance;
}

function birthOf(set: SimScaleSet, image: ResolvedImage): Birth {
  const profile = objectAt(set.properties, 'virtualMachineProfile');
  return {
    imageReference: structuredClone(objectAt(profile, 'storageProfile', 'imageReference') ?? {}),
    exactVersion: image.exactVersion,
    ...(set.secrets.customData !== undefined && { customData: set.secrets.customData }),
    extensions: structuredClone(objectsAt(profile, 'extensionProfile', 'extensions')),
    protectedSettings: structuredClone(set.secrets.protectedSettings),
    osProfile: structuredClone(objectAt(profile, 'osProfile') ?? null),
  };
}

/** Uniform: a counter, and the computer name ends with it in base 36. Flexible: both are random, and the VM is an ordinary one. */
function nameInstance(world: SimWorld, set: SimScaleSet, profile: JsonObject) {
  const prefix = stringAt(profile, 'osProfile', 'computerNamePrefix') ?? set.name;
  if (set.mode === 'Uniform') {
    const instanceId = String(set.nextInstance++);
    const suffix = Number(instanceId).toString(36).toUpperCase().padStart(6, '0');
    return {
      instanceId,
      name: `${set.name}_${instanceId}`,
      computerName: `${prefix}${suffix}`,
      id: `${set.id}/virtualMachines/${instanceId}`,
    };
  }
  const name = `${set.name}_${hex(world, 8)}`;
  const suffix = Array.from({ length: 6 }, () => Math.floor(random(world) * 36).toString(36)).join('');
  return {
    instanceId: name,
    name,
    computerName: `${prefix}${suffix.toUpperCase()}`,
    id: `${groupId(world, groupOf(set.id))}/${PROVIDER}/virtualMachines/${name}`,
  };
}

function addOsDisk(
  world: SimWorld,
  set: SimScaleSet,
  instance: SimInstance,
  image: ResolvedImage,
  nowMs: number,
): string {
  const osDisk = objectAt(instance.profile, 'storageProfile', 'osDisk');
  const sizeGb = numberAt(osDisk, 'diskSizeGB') ?? image.sizeGb;
  const name = `${instance.name}_OsDisk_1_${hex(world, 32)}`;
  const id = `${groupId(world, groupOf(set.id))}/${PROVIDER}/disks/${name}`;
  const sku = stringAt(osDisk, 'managedDisk', 'storageAccountType') ?? 'Premium_LRS';
  const uniqueId = uuid(world);
  world.disks[keyOf(id)] = {
    id,
    name,
    location: set.location,
    tags: {},
    createdMs: nowMs,
    sku,
    uniqueId,
    managedBy: instance.id,
    properties: {
      osType: stringAt(osDisk, 'osType') ?? 'Linux',
      hyperVGeneration: set.generation,
      ...securityOf(instance.profile),
      creationData: { createOption: 'FromImage', ...diskSource(world, set, image) },
      diskSizeGB: sizeGb,
      diskSizeBytes: sizeGb * 2 ** 30,
      diskIOPSReadWrite: 500,
      diskMBpsReadWrite: 100,
      encryption: encryptionOf(stringAt(osDisk, 'managedDisk', 'diskEncryptionSet', 'id')),
      supportedCapabilities: capabilitiesOf(instance.profile, image),
      networkAccessPolicy: 'AllowAll',
      publicNetworkAccess: 'Enabled',
      timeCreated: timestamp(nowMs),
      provisioningState: 'Succeeded',
      diskState: 'Attached',
      uniqueId,
      tier: 'P4',
    },
  };
  return id;
}

function securityOf(profile: JsonObject): JsonObject {
  const securityType = stringAt(profile, 'securityProfile', 'securityType');
  if (!securityType || securityType === 'Standard') return {};
  const isConfidential = securityType === 'ConfidentialVM';
  return {
    securityProfile: { securityType: isConfidential ? 'ConfidentialVM_DiskEncryptedWithPlatformKey' : securityType },
  };
}

export function encryptionOf(diskEncryptionSetId: string | undefined): JsonObject {
  return diskEncryptionSetId === undefined
    ? { type: 'EncryptionAtRestWithPlatformKey' }
    : { type: 'EncryptionAtRestWithCustomerKey', diskEncryptionSetId };
}

/** The disk remembers what its image supports. */
function capabilitiesOf(profile: JsonObject, { definition }: ResolvedImage): JsonObject {
  const isNvme = stringAt(profile, 'storageProfile', 'diskControllerType') === 'NVMe';
  return {
    architecture: stringAt(definition?.properties, 'architecture') ?? 'x64',
    ...(isNvme && { diskControllerTypes: 'SCSI, NVMe' }),
  };
}

function diskSource(world: SimWorld, set: SimScaleSet, image: ResolvedImage): JsonObject {
  if (image.version) return { galleryImageReference: { id: image.version.id } };
  const reference = objectAt(set.properties, 'virtualMachineProfile', 'storageProfile', 'imageReference');
  const { publisher, offer, sku } = reference ?? {};
  const subscription = `/Subscriptions/${world.subscriptionId}/Providers/Microsoft.Compute/Locations/${set.location}`;
  return {
    imageReference: {
      id: `${subscription}/Publishers/${publisher}/ArtifactTypes/VMImage/Offers/${offer}/Skus/${sku}/Versions/${image.exactVersion}`,
    },
  };
}

/** The capacity is the number of instances, as Azure reports it after deletions. */
export function recount(world: SimWorld, set: SimScaleSet): void {
  const sku = objectAt(set.top, 'sku') ?? {};
  set.top.sku = { ...sku, capacity: instancesOf(world, set).filter((i) => i.state !== 'Deleting').length };
}

/** A fresh OS disk from the current model; name, id and VM id stay. The image may have been deleted since the request. */
export function reimage(world: SimWorld, instance: SimInstance): void {
  const set = world.scaleSets[keyOf(instance.scaleSetId)];
  const image = set && availableImage(world, set);
  if (!set || !image) {
    instance.state = 'Failed';
    return;
  }
  const profile = objectAt(set.properties, 'virtualMachineProfile') ?? {};
  instance.profile = structuredClone(profile);
  instance.birth = birthOf(set, image);
  instance.modelVersion = set.modelVersion;
  if (instance.osDiskId === null) return;
  delete world.disks[keyOf(instance.osDiskId)];
  instance.osDiskId = addOsDisk(world, set, instance, image, instance.createdMs);
}

function availableImage(world: SimWorld, set: SimScaleSet): ResolvedImage | undefined {
  try {
    return requireImage(world, set);
  } catch (error) {
    if (error instanceof ArmError) return undefined;
    throw error;
  }
}
