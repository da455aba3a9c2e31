// vms/azure/scale-set.ts: convert a scale set's JSON to a pool. Pure.
import { z } from 'zod';
import type { Extension, ImageRef, Model, Pool } from '../pools.ts';
import { parseGalleryImageId } from './arm-ids.ts';

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
  plan: z.object({ name: text, product: text, publisher: text }).nullish(),
  properties: z.object({
    provisioningState: text,
    orchestrationMode: text,
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
              .object({ osType: text, diskSizeGB: number, diffDiskSettings: z.object({ option: text }).nullish() })
              .nullish(),
          })
          .nullish(),
      })
      .nullish(),
  }),
});

export type AzureScaleSet = z.infer<typeof scaleSetSchema>;

/** Read from a disk or derived from the VM size. */
export interface HardwareFacts {
  generation: Model['generation'];
  architecture: Model['architecture'];
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
    ...hardware,
    securityType: securityTypeOf(set),
    ...(plan && { plan }),
    hasEphemeralDisk: Boolean(osDisk?.diffDiskSettings?.option),
    isSpot: isSpot(set),
    upgrades: upgradesOf(upgradePolicy?.mode),
    hasAutomaticOsUpgrade: upgradePolicy?.automaticOSUpgradePolicy?.enableAutomaticOSUpgrade ?? false,
    ...(osDisk?.diskSizeGB ? { osDiskGb: osDisk.diskSizeGB } : {}),
  };
}

export function imageOf(reference: z.infer<typeof imageReferenceSchema> | null | undefined): ImageRef {
  const id = reference?.id ?? reference?.sharedGalleryImageId ?? reference?.communityGalleryImageId;
  if (id) {
    const inGallery = parseGalleryImageId(id);
    if (!inGallery) return { kind: 'other', id };
    return { kind: inGallery.version ? 'version' : 'definition', id };
  }
  const { publisher, offer, sku, version } = reference ?? {};
  if (publisher && offer && sku) return { kind: 'marketplace', publisher, offer, sku, version: version ?? 'latest' };
  return { kind: 'other', id: '' };
}

export function securityTypeOf(set: AzureScaleSet): Model['securityType'] {
  const type = set.properties.virtualMachineProfile?.securityProfile?.securityType;
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
