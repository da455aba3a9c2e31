// vms/azure/arm-ids.ts: parse and write Azure resource ids. Azure compares ids ignoring case.

export interface ResourceGroupRef {
  subscriptionId: string;
  resourceGroup: string;
}

export interface ScaleSetRef extends ResourceGroupRef {
  name: string;
}

export type VmRef =
  /** A child of its scale set. */
  | (ResourceGroupRef & { mode: 'uniform'; scaleSet: string; instanceId: string })
  /** A separate VM resource that refers to its scale set. */
  | (ResourceGroupRef & { mode: 'flexible'; name: string });

const group = '^/subscriptions/([^/]+)/resourceGroups/([^/]+)/providers/Microsoft\\.Compute';
const scaleSetPattern = new RegExp(`${group}/virtualMachineScaleSets/([^/]+)$`, 'i');
const uniformPattern = new RegExp(`${group}/virtualMachineScaleSets/([^/]+)/virtualMachines/([^/]+)$`, 'i');
const vmPattern = new RegExp(`${group}/virtualMachines/([^/]+)$`, 'i');
const diskPattern = new RegExp(`${group}/disks/([^/]+)$`, 'i');
const snapshotPattern = new RegExp(`${group}/snapshots/([^/]+)$`, 'i');
const managedImagePattern = new RegExp(`${group}/images/[^/]+$`, 'i');
const galleryImagePattern = new RegExp(`${group}/galleries/([^/]+)/images/([^/]+)(?:/versions/([^/]+))?$`, 'i');

export function parseScaleSetId(id: string): ScaleSetRef | undefined {
  const [, subscriptionId, resourceGroup, name] = scaleSetPattern.exec(id) ?? [];
  return subscriptionId && resourceGroup && name ? { subscriptionId, resourceGroup, name } : undefined;
}

/** An image of its own, in no gallery. */
export function isManagedImageId(id: string): boolean {
  return managedImagePattern.test(id);
}

/** The names that Azure accepts. */
export function isScaleSetName(name: string): boolean {
  return /^[\w-][\w.-]{0,79}$/.test(name);
}

export function parseVmId(id: string): VmRef | undefined {
  const [, subscriptionId, resourceGroup, scaleSet, instanceId] = uniformPattern.exec(id) ?? [];
  if (subscriptionId && resourceGroup && scaleSet && instanceId)
    return { mode: 'uniform', subscriptionId, resourceGroup, scaleSet, instanceId };
  const [, vmSubscription, vmGroup, name] = vmPattern.exec(id) ?? [];
  return vmSubscription && vmGroup && name
    ? { mode: 'flexible', subscriptionId: vmSubscription, resourceGroup: vmGroup, name }
    : undefined;
}

export function parseDiskId(id: string): (ResourceGroupRef & { name: string }) | undefined {
  const [, subscriptionId, resourceGroup, name] = diskPattern.exec(id) ?? [];
  return subscriptionId && resourceGroup && name ? { subscriptionId, resourceGroup, name } : undefined;
}

export function parseSnapshotId(id: string): (ResourceGroupRef & { name: string }) | undefined {
  const [, subscriptionId, resourceGroup, name] = snapshotPattern.exec(id) ?? [];
  return subscriptionId && resourceGroup && name ? { subscriptionId, resourceGroup, name } : undefined;
}

/** Undefined for an image that is not in a gallery. */
export function parseGalleryImageId(
  id: string,
): (ResourceGroupRef & { gallery: string; definition: string; version?: string }) | undefined {
  const [, subscriptionId, resourceGroup, gallery, definition, version] = galleryImagePattern.exec(id) ?? [];
  if (!subscriptionId || !resourceGroup || !gallery || !definition) return undefined;
  return { subscriptionId, resourceGroup, gallery, definition, ...(version && { version }) };
}

/**
 * One spelling per scale set and instance. Kubernetes, Azure and people write subscription and group in different
 * cases; these ids are compared and stored, so both are lower case. Names keep Azure's spelling.
 */
export function scaleSetId(ref: ScaleSetRef): string {
  return `${groupPath(ref)}/providers/Microsoft.Compute/virtualMachineScaleSets/${ref.name}`;
}

export function vmId(ref: VmRef): string {
  return ref.mode === 'uniform'
    ? `${scaleSetId({ ...ref, name: ref.scaleSet })}/virtualMachines/${ref.instanceId}`
    : `${groupPath(ref)}/providers/Microsoft.Compute/virtualMachines/${ref.name}`;
}

export function isSameId(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** `/subscriptions/S/resourceGroups/G`, in one spelling per group. */
export function groupPath(ref: ResourceGroupRef): string {
  return `/subscriptions/${ref.subscriptionId.toLowerCase()}/resourceGroups/${ref.resourceGroup.toLowerCase()}`;
}
