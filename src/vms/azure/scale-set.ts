// vms/azure/scale-set.ts: convert a scale set's JSON to a pool. Pure.
import { z } from 'zod';
import type { Extension, ImageRef, Model, Pool } from '../pools.ts';
import { isManagedImageId, parseGalleryImageId } from './arm-ids.ts';
import { NVME_FEATURE } from './disks.ts';

const text = z.string().nullish();
const number = z.number().nullish();
const isOn = z.boolean().nullish();

export const imageReferenceSchema = z.object({
  id: text,
  publisher: text,
  offer: text,
  sku: text,
  version: text,
  /** The version that a definition resolved to when the instance was made. */
  exactVersion: text,
  sharedGalleryImageId: text,
  communityGalleryImageId: text,
});

/** Keeps unknown fields: settings are opaque and are written back unchanged. */
export const extensionSchema = z.looseObject({
  name: z.string(),
  properties: z.looseObject({
    publisher: text,
    type: text,
    provisionAfterExtensions: z.array(z.string()).nullish(),
  }),
});

/** Only the fields that we read. */
export const scaleSetSchema = z.object({
  id: z.string(),
  name: z.string(),
  location: z.string(),
  etag: text,
  tags: z.record(z.string(), z.string()).nullish(),
  sku: z.object({ name: text, capacity: number }).nullish(),
  extendedLocation: z.object({ name: text }).nullish(),
  plan: z.object({ name: text, product: text, publisher: text }).nullish(),
  properties: z.object({
    provisioningState: text,
    orchestrationMode: text,
    platformFaultDomainCount: number,
    additionalCapabilities: z.object({ hibernationEnabled: isOn }).nullish(),
    upgradePolicy: z
      .object({ mode: text, automaticOSUpgradePolicy: z.object({ enableAutomaticOSUpgrade: isOn }).nullish() })
      .nullish(),
    automaticRepairsPolicy: z.object({ enabled: isOn }).nullish(),
    virtualMachineProfile: z
      .object({
        priority: text,
        osProfile: z.object({ windowsConfiguration: z.unknown().optional() }).nullish(),
        securityProfile: z.object({ securityType: text }).nullish(),
        extensionProfile: z
          .object({ extensions: z.array(extensionSchema).nullish(), extensionsTimeBudget: text })
          .nullish(),
        storageProfile: z
          .object({
            imageReference: imageReferenceSchema.nullish(),
            osDisk: z
              .object({
                osType: text,
                diskSizeGB: number,
                diffDiskSettings: z.object({ option: text }).nullish(),
                managedDisk: z
                  .object({
                    diskEncryptionSet: z.object({ id: text }).nullish(),
                    securityProfile: z.object({ securityEncryptionType: text }).nullish(),
                  })
                  .nullish(),
              })
              .nullish(),
            dataDisks: z.array(z.object({ createOption: text })).nullish(),
            diskControllerType: text,
          })
          .nullish(),
      })
      .nullish(),
  }),
});

export type AzureScaleSet = z.infer<typeof scaleSetSchema>;

/** Read from an instance and its disk, or derived from the VM size. */
export interface HardwareFacts {
  generation: Model['generation'];
  architecture: Model['architecture'];
  controller?: 'SCSI' | 'NVMe';
  imageFeatures?: Readonly<Record<string, string>>;
}

export const bootstrapTag = 'headstart-bootstrap';

export function poolOf(set: AzureScaleSet, ref: Pool['ref'], hardware: HardwareFacts): Pool {
  const managedBy = managerOf(set);
  return {
    ref,
    etag: set.etag ?? '',
    region: set.location,
    state: stateOf(set.properties.provisioningState),
    model: modelOf(set, hardware),
    ...(managedBy && { managedBy }),
    hasInstanceRepair: set.properties.automaticRepairsPolicy?.enabled ?? false,
    capacity: set.sku?.capacity ?? 0,
    tags: set.tags ?? {},
  };
}

function modelOf(set: AzureScaleSet, hardware: HardwareFacts): Model {
  const profile = set.properties.virtualMachineProfile;
  const { upgradePolicy } = set.properties;
  const osDisk = profile?.storageProfile?.osDisk;
  // A specialized image has no OS profile.
  const osState = profile?.osProfile ? 'generalized' : 'specialized';
  const plan = planOf(set);
  return {
    image: imageOf(profile?.storageProfile?.imageReference),
    os: isWindows(set) ? 'windows' : 'linux',
    osState,
    // Without an OS profile there is no custom data to run.
    bootstrap: osState === 'specialized' || set.tags?.[bootstrapTag] === 'none' ? 'none' : 'unknown',
    extensions: extensionsOf(set),
    generation: hardware.generation,
    architecture: hardware.architecture,
    securityType: securityTypeOf(set),
    ...(plan && { plan }),
    hasEphemeralDisk: Boolean(osDisk?.diffDiskSettings?.option),
    isSpot: isSpot(set),
    upgrades: upgradesOf(upgradePolicy?.mode),
    hasAutomaticOsUpgrade: upgradePolicy?.automaticOSUpgradePolicy?.enableAutomaticOSUpgrade ?? false,
    ...(osDisk?.diskSizeGB ? { osDiskGb: osDisk.diskSizeGB } : {}),
    ...(osDisk?.managedDisk?.diskEncryptionSet?.id && {
      diskEncryptionSetId: osDisk.managedDisk.diskEncryptionSet.id,
    }),
    ...controllerOf(set, hardware),
    ...(profile?.storageProfile?.dataDisks?.some((disk) => disk.createOption === 'FromImage') && {
      hasDataDisksFromImage: true,
    }),
    ...(set.extendedLocation?.name && { edgeZone: set.extendedLocation.name }),
  };
}

/** Sizes of version 6 and later attach disks by NVMe, most of them only so. */
const NVME_SIZE = /_v(?:[6-9]|\d{2,})$/i;

function controllerOf(
  set: AzureScaleSet,
  { controller: seen, imageFeatures = {}, generation }: HardwareFacts,
): Pick<Model, 'diskController' | 'imageFeatures'> {
  const given = set.properties.virtualMachineProfile?.storageProfile?.diskControllerType;
  const known = given === 'SCSI' || given === 'NVMe' ? given : seen;
  const canNvme = imageFeatures.DiskControllerTypes !== undefined;
  const controller = known ?? (!NVME_SIZE.test(set.sku?.name ?? '') ? undefined : canNvme ? 'NVMe' : 'unknown');
  const features = {
    ...imageFeatures,
    // An instance that runs on NVMe proves that its image can. Azure knows NVMe for generation 2 only.
    ...(controller === 'NVMe' && generation === 'V2' && NVME_FEATURE),
  };
  return {
    ...(controller && { diskController: controller }),
    ...(Object.keys(features).length > 0 && { imageFeatures: features }),
  };
}

export function imageOf(reference: z.infer<typeof imageReferenceSchema> | null | undefined): ImageRef {
  if (reference?.id) return imageWithId(reference.id);
  if (reference?.sharedGalleryImageId) return { kind: 'shared', id: reference.sharedGalleryImageId };
  if (reference?.communityGalleryImageId) return { kind: 'community', id: reference.communityGalleryImageId };
  const { publisher, offer, sku, version } = reference ?? {};
  if (publisher && offer && sku) return { kind: 'marketplace', publisher, offer, sku, version: version ?? 'latest' };
  return { kind: 'other', id: '' };
}

function imageWithId(id: string): ImageRef {
  const inGallery = parseGalleryImageId(id);
  if (inGallery) return { kind: inGallery.version ? 'version' : 'definition', id };
  return { kind: isManagedImageId(id) ? 'managed' : 'other', id };
}

export function securityTypeOf(set: AzureScaleSet): Model['securityType'] {
  const type = set.properties.virtualMachineProfile?.securityProfile?.securityType;
  const osDisk = set.properties.virtualMachineProfile?.storageProfile?.osDisk;
  // Only disks of confidential VMs have this field.
  if (osDisk?.managedDisk?.securityProfile?.securityEncryptionType) return 'ConfidentialVM';
  return type === 'TrustedLaunch' || type === 'ConfidentialVM' ? type : 'Standard';
}

export function isSpot(set: AzureScaleSet): boolean {
  const priority = set.properties.virtualMachineProfile?.priority;
  return priority === 'Spot' || priority === 'Low';
}

/** What stays the same as long as a scale set exists. */
export interface SetTraits {
  /** In Azure's spelling, which filters need. */
  id: string;
  name: string;
  isSpot: boolean;
  isFlexible: boolean;
}

export function traitsOf(set: AzureScaleSet): SetTraits {
  return { id: set.id, name: set.name, isSpot: isSpot(set), isFlexible: isFlexible(set) };
}

export function isFlexible(set: AzureScaleSet): boolean {
  return set.properties.orchestrationMode === 'Flexible';
}

function isWindows(set: AzureScaleSet): boolean {
  const profile = set.properties.virtualMachineProfile;
  return profile?.storageProfile?.osDisk?.osType === 'Windows' || Boolean(profile?.osProfile?.windowsConfiguration);
}

function extensionsOf(set: AzureScaleSet): Extension[] {
  const extensions = set.properties.virtualMachineProfile?.extensionProfile?.extensions ?? [];
  return extensions.map(({ name, properties }) => ({
    name,
    publisher: properties.publisher ?? '',
    type: properties.type ?? '',
    after: properties.provisionAfterExtensions ?? [],
  }));
}

function planOf(set: AzureScaleSet): Model['plan'] {
  const { name, product, publisher } = set.plan ?? {};
  return name && product && publisher ? { name, product, publisher } : undefined;
}

function upgradesOf(mode: string | null | undefined): Model['upgrades'] {
  if (mode === 'Automatic') return 'automatic';
  return mode === 'Rolling' ? 'rolling' : 'manual';
}

function stateOf(provisioningState: string | null | undefined): Pool['state'] {
  if (provisioningState === 'Succeeded') return 'ready';
  return provisioningState === 'Failed' || provisioningState === 'Canceled' ? 'failed' : 'updating';
}

/** AKS and CAPZ revert changes to the model sooner or later. */
function managerOf(set: AzureScaleSet): Pool['managedBy'] {
  const tagNames = Object.keys(set.tags ?? {}).map((name) => name.toLowerCase());
  if (tagNames.some((name) => name.startsWith('sigs.k8s.io_cluster-api-provider-azure_'))) return 'capz';
  // AKS puts its pools in a separate group, named MC_… unless the cluster's owner chose another name.
  const isAksGroup = /\/resourceGroups\/MC_[^/]+\//i.test(set.id);
  return isAksGroup || tagNames.some((name) => name.startsWith('aks-managed-')) ? 'aks' : undefined;
}
