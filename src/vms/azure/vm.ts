// vms/azure/vm.ts: convert an Azure VM to an instance. Pure; the same for uniform and flexible scale sets.
import type { ImageReference, VirtualMachine, VirtualMachineScaleSetVM } from '@azure/arm-compute';
import type { ImageRef, Instance, InstanceRef, ListedInstance, OsDisk, Protection } from '../pools.ts';
import { imageOf } from './scale-set.ts';

/** What a VM says by itself. Azure reports Spot of a uniform instance on its scale set. */
export function listedOf(
  vm: VirtualMachine | VirtualMachineScaleSetVM,
  ref: InstanceRef,
  isSpotSet: boolean,
): Omit<ListedInstance, 'protection' | 'isOnLatestModel'> {
  const { osDisk, imageReference } = vm.storageProfile ?? {};
  const diskId = osDisk?.managedDisk?.id;
  return {
    ref,
    computerName: vm.osProfile?.computerName ?? vm.instanceView?.computerName ?? vm.name ?? ref.id,
    vmId: (vm.vmId ?? '').toLowerCase(),
    power: powerOf(vm.instanceView?.statuses),
    ...(imageReference && { image: sourceImage(imageReference) }),
    ...(diskId && { osDisk: { id: diskId, ...osDiskOf(vm) } }),
    isSpot: isSpotSet || ('priority' in vm && (vm.priority === 'Spot' || vm.priority === 'Low')),
    tags: vm.tags ?? {},
  };
}

function osDiskOf({ storageProfile, instanceView }: VirtualMachine | VirtualMachineScaleSetVM): Partial<OsDisk> {
  const { diskSizeGB: sizeGb, managedDisk } = storageProfile?.osDisk ?? {};
  const setId = managedDisk?.diskEncryptionSet?.id;
  const controller = storageProfile?.diskControllerType;
  const generation = instanceView && 'hyperVGeneration' in instanceView ? instanceView.hyperVGeneration : undefined;
  return {
    ...(sizeGb !== undefined && { sizeGb }),
    ...((generation === 'V1' || generation === 'V2') && { generation }),
    ...((controller === 'SCSI' || controller === 'NVMe') && { controller }),
    ...(setId && { diskEncryptionSetId: setId }),
  };
}

/** It is not documented whether a VM refers to its scale set while it waits in a standby pool: if so, it is no instance yet. */
export function isInService({ instanceView }: Pick<VirtualMachine, 'instanceView'>): boolean {
  return instanceView?.isVMInStandbyPool !== true;
}

/** What only the scale set knows about its member; a flexible VM lacks it. */
export function memberFacts(
  member: VirtualMachineScaleSetVM | undefined,
): Pick<Instance, 'protection' | 'isOnLatestModel'> {
  return { protection: protectionOf(member), isOnLatestModel: member?.latestModelApplied ?? false };
}

export function protectionOf(member: VirtualMachineScaleSetVM | undefined): Protection {
  return {
    fromScaleIn: member?.protectionPolicy?.protectFromScaleIn ?? false,
    fromPoolActions: member?.protectionPolicy?.protectFromScaleSetActions ?? false,
  };
}

/** For an instance made from a definition, the exact version it was made from. */
export function sourceImage(reference: ImageReference): ImageRef {
  const image = imageOf(reference);
  return image.kind === 'definition' && reference.exactVersion
    ? { kind: 'version', id: `${image.id}/versions/${reference.exactVersion}` }
    : image;
}

function powerOf(statuses: readonly { code?: string }[] | undefined): Instance['power'] {
  const prefix = 'powerstate/';
  const state = statuses?.map(({ code }) => code?.toLowerCase() ?? '').find((code) => code.startsWith(prefix));
  switch (state?.slice(prefix.length)) {
    case 'running':
      return 'running';
    case 'starting':
      return 'starting';
    case 'stopping':
    case 'deallocating':
      return 'stopping';
    case 'stopped':
      return 'stopped';
    case 'deallocated':
      return 'deallocated';
    default:
      return 'unknown';
  }
}
