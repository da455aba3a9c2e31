// vms/azure/references.ts: which versions of a definition are in use? Deleting one breaks the next scale-out.
import type { VirtualMachine, VirtualMachineScaleSet } from '@azure/arm-compute';
import type { CallOptions } from '../../base/call-options.ts';
import { Forbidden } from '../../base/failures.ts';
import type { Definition } from '../gallery.ts';
import type { ImageRef } from '../pools.ts';
import { isSameId, parseGalleryImageId, parseScaleSetId } from './arm-ids.ts';
import type { Azure } from './azure.ts';
import type { AzureCall } from './connect/connection.ts';
import { collectPages, undefinedIfMissing } from './connect/reading.ts';
import { imageOf } from './scale-set.ts';
import { versionsOf } from './versions.ts';
import { sourceImage } from './vm.ts';

export async function referencedImages(
  azure: Azure,
  definition: Definition,
  options?: CallOptions,
): Promise<ReadonlySet<string>> {
  const call = await azure.open(options);
  const { knownGroups } = azure;
  const sets = await listScaleSets(call, knownGroups);
  const vms = await listVms(call, knownGroups);
  const references: ImageRef[] = [];
  for (const set of sets) references.push(imageOf(set.virtualMachineProfile?.storageProfile?.imageReference));
  for (const vm of vms) references.push(...sourceImagesOf(vm));
  // `vms` includes flexible members; uniform members are listed only by their scale set.
  for (const set of sets.filter((one) => one.orchestrationMode !== 'Flexible'))
    for (const member of await listMembers(call, set)) references.push(...sourceImagesOf(member));

  const names = referencedVersionNames(references, definition);
  if (references.some((image) => image.kind === 'definition' && isSameId(image.id, definition.id))) {
    const newest = newestEligible((await versionsOf(call, definition)).filter((one) => !one.isExcludedFromLatest));
    if (newest) names.add(newest);
  }
  return new Set([...names].map((name) => `${definition.id}/versions/${name}`));
}

export function referencedVersionNames(
  references: readonly ImageRef[],
  definition: Pick<Definition, 'id'>,
): Set<string> {
  const names = new Set<string>();
  for (const image of references) {
    if (image.kind !== 'version') continue;
    const version = parseGalleryImageId(image.id)?.version;
    if (version && isSameId(image.id, `${definition.id}/versions/${version}`)) names.add(version);
  }
  return names;
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
async function listScaleSets(call: AzureCall, knownGroups: ReadonlySet<string>): Promise<VirtualMachineScaleSet[]> {
  const { virtualMachineScaleSets } = call.compute(call.settings.subscriptionId);
  return wholeOrGroups(
    () => call.run('scale sets of the subscription', () => collectPages(virtualMachineScaleSets.listAll())),
    (group) => call.run(`scale sets of ${group}`, () => collectPages(virtualMachineScaleSets.list(group))),
    knownGroups,
  );
}

async function listVms(call: AzureCall, knownGroups: ReadonlySet<string>): Promise<VirtualMachine[]> {
  const { virtualMachines } = call.compute(call.settings.subscriptionId);
  return wholeOrGroups(
    () => call.run('VMs of the subscription', () => collectPages(virtualMachines.listAll())),
    (group) => call.run(`VMs of ${group}`, () => collectPages(virtualMachines.list(group))),
    knownGroups,
  );
}

async function wholeOrGroups<T>(
  whole: () => Promise<T[]>,
  ofGroup: (group: string) => Promise<T[]>,
  groups: ReadonlySet<string>,
): Promise<T[]> {
  try {
    return await whole();
  } catch (error) {
    if (!(error instanceof Forbidden)) throw error;
    const found: T[] = [];
    for (const group of groups) found.push(...((await undefinedIfMissing(() => ofGroup(group))) ?? []));
    return found;
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
