// vms/azure/references.ts: which versions of a definition are in use? Deleting one breaks the next scale-out.
import type { VirtualMachine, VirtualMachineScaleSet } from '@azure/arm-compute';
import type { CallOptions } from '../../base/call-options.ts';
import { Forbidden } from '../../base/failures.ts';
import type { Definition } from '../gallery.ts';
import type { ImageRef } from '../pools.ts';
import { isSameId, parseGalleryImageId, parseScaleSetId, type ResourceGroupRef } from './arm-ids.ts';
import type { Azure } from './azure.ts';
import type { AzureCall } from './connect/connection.ts';
import { collectPages, undefinedIfMissing } from './connect/reading.ts';
import { imageOf } from './scale-set.ts';
import { versionsOf } from './versions.ts';
import { sourceImage } from './vm.ts';

/**
 * Reads the subscription of the gallery and those of the known pools; scale sets of other subscriptions cannot be seen. What the login
 * may not read may use any version, so then every version is in use. One listing per subscription, and one for each Uniform set that
 * may have Linux instances: call it once for each decision to delete.
 */
export async function referencedImages(
  azure: Azure,
  definition: Definition,
  options?: CallOptions,
): Promise<ReadonlySet<string>> {
  const call = await azure.open(options);
  const { references, isPartial } = await listReferences(call, [...azure.knownGroups.values()]);
  const names = referencedVersionNames(references, definition);
  const usesNewest = references.some((image) => image.kind === 'definition' && isSameId(image.id, definition.id));
  if (isPartial || usesNewest) {
    const versions = await versionsOf(call, definition);
    const newest = newestEligible(versions.filter((one) => !one.isExcludedFromLatest));
    if (usesNewest && newest) names.add(newest);
    if (isPartial) for (const { name } of versions) names.add(name);
  }
  return new Set([...names].map((name) => `${definition.id}/versions/${name}`));
}

interface References {
  references: ImageRef[];
  /** The login may not read a part of what it should have. */
  isPartial: boolean;
}

async function listReferences(call: AzureCall, groups: readonly ResourceGroupRef[]): Promise<References> {
  const found: References = { references: [], isPartial: false };
  const unlessForbidden = async <T>(read: () => Promise<T[]>): Promise<T[]> => {
    const items = await undefinedIfForbidden(read);
    found.isPartial ||= items === undefined;
    return items ?? [];
  };
  for (const [subscriptionId, own] of bySubscription(groups)) {
    const { virtualMachineScaleSets, virtualMachines } = call.compute(subscriptionId);
    const sets = await wholeOrGroups(
      () => call.run('scale sets of the subscription', () => collectPages(virtualMachineScaleSets.listAll())),
      (group) =>
        unlessForbidden(() =>
          call.run(`scale sets of ${group}`, () => collectPages(virtualMachineScaleSets.list(group))),
        ),
      own,
    );
    const vms = await wholeOrGroups(
      () => call.run('VMs of the subscription', () => collectPages(virtualMachines.listAll())),
      (group) => unlessForbidden(() => call.run(`VMs of ${group}`, () => collectPages(virtualMachines.list(group)))),
      own,
    );
    for (const set of sets) found.references.push(imageOf(set.virtualMachineProfile?.storageProfile?.imageReference));
    for (const vm of vms) found.references.push(...sourceImagesOf(vm));
    // `vms` includes flexible members; uniform members are listed only by their scale set.
    for (const set of sets.filter(mayHaveUniformMembers)) {
      const members = await unlessForbidden(() => listMembers(call, set));
      for (const member of members) found.references.push(...sourceImagesOf(member));
    }
  }
  return found;
}

function bySubscription(groups: readonly ResourceGroupRef[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { subscriptionId, resourceGroup } of groups) {
    const key = subscriptionId.toLowerCase();
    found.set(key, [...(found.get(key) ?? []), resourceGroup]);
  }
  return found;
}

/** Prototypes are Linux images, and each listing is a request. */
export function mayHaveUniformMembers(set: VirtualMachineScaleSet): boolean {
  const isWindows = set.virtualMachineProfile?.storageProfile?.osDisk?.osType === 'Windows';
  return set.orchestrationMode !== 'Flexible' && !isWindows && set.sku?.capacity !== 0;
}

export function referencedVersionNames(
  references: readonly ImageRef[],
  definition: Pick<Definition, 'id'>,
): Set<string> {
  const names = new Set<string>();
  for (const image of references) {
    if (image.kind === 'other') {
      const version = versionInOtherId(image.id, definition);
      if (version) names.add(version);
      continue;
    }
    if (image.kind !== 'version') continue;
    const version = parseGalleryImageId(image.id)?.version;
    if (version && isSameId(image.id, `${definition.id}/versions/${version}`)) names.add(version);
  }
  return names;
}

/** A gallery that is shared has a second id, with an invented name. One with a definition of this name may be ours. */
function versionInOtherId(id: string, definition: Pick<Definition, 'id'>): string | undefined {
  const [, name, version] = /\/images\/([^/]+)\/versions\/([^/]+)$/i.exec(id) ?? [];
  return name && definition.id.toLowerCase().endsWith(`/images/${name.toLowerCase()}`) ? version : undefined;
}

/** The version that a definition resolves to today. Versions are three numbers: 2026.10.2 is newer than 2026.9.30. */
export function newestEligible(versions: readonly { name: string }[]): string | undefined {
  return versions
    .map(({ name }) => name)
    .sort((a, b) => {
      const [left, right] = [a, b].map((name) => name.split('.').map(Number));
      for (let i = 0; i < 3; i++) if (left![i] !== right![i]) return (right![i] ?? 0) - (left![i] ?? 0);
      return 0;
    })[0];
}

/** Lists the whole subscription if the login may; otherwise the known groups. */
async function wholeOrGroups<T>(
  whole: () => Promise<T[]>,
  ofGroup: (group: string) => Promise<T[]>,
  groups: readonly string[],
): Promise<T[]> {
  const all = await undefinedIfForbidden(whole);
  if (all) return all;
  const found: T[] = [];
  for (const group of groups) found.push(...((await undefinedIfMissing(() => ofGroup(group))) ?? []));
  return found;
}

async function undefinedIfForbidden<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Forbidden) return undefined;
    throw error;
  }
}

async function listMembers(call: AzureCall, set: VirtualMachineScaleSet) {
  const ref = set.id ? parseScaleSetId(set.id) : undefined;
  if (!ref) return [];
  const { virtualMachineScaleSetVMs } = call.compute(ref.subscriptionId);
  const listed = await undefinedIfMissing(() =>
    call.run(`instances of ${ref.name}`, () =>
      collectPages(virtualMachineScaleSetVMs.list(ref.resourceGroup, ref.name)),
    ),
  );
  return listed ?? []; // the scale set was deleted in the meantime
}

function sourceImagesOf(vm: { storageProfile?: VirtualMachine['storageProfile'] }): ImageRef[] {
  const reference = vm.storageProfile?.imageReference;
  return reference ? [sourceImage(reference)] : [];
}
