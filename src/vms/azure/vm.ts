// vms/azure/vm.ts: convert an Azure VM to an instance. Pure; the same for uniform and flexible scale sets.
import type { ImageReference, VirtualMachine, VirtualMachineScaleSetVM } from '@azure/arm-compute';
import type { ImageRef, Instance, InstanceRef, OsDisk, Protection } from '../pools.ts';
import { type DiskFacts, osDiskFacts } from './disks.ts';
import { imageOf } from './scale-set.ts';

export interface OutsideFacts {
  /** Azure reports it on the scale set, not on a uniform instance. */
  isSpot: boolean;
  /** The VM as a scale set member: has protection and model state, which a flexible VM lacks. */
  member: VirtualMachineScaleSetVM | undefined;
  /** A deallocated VM does not report its disk's size; a VM never reports its security type. */
  disk?: DiskFacts | undefined;
}

export function instanceOf(
  vm: VirtualMachine | VirtualMachineScaleSetVM,
  ref: InstanceRef,
  facts: OutsideFacts,
): Instance {
  const { osDisk, imageReference } = vm.storageProfile ?? {};
  const diskId = osDisk?.managedDisk?.id;
  const sizeGb = osDisk?.diskSizeGB ?? facts.disk?.sizeGb;
  return {
    ref,
    computerName: vm.osProfile?.computerName ?? vm.instanceView?.computerName ?? vm.name ?? ref.id,
    vmId: (vm.vmId ?? '').toLowerCase(),
    power: powerOf(vm.instanceView?.statuses),
    protection: protectionOf(facts.member),
    isOnLatestModel: facts.member?.latestModelApplied ?? false,
    ...(imageReference && { image: sourceImage(imageReference) }),
    ...(diskId && sizeGb !== undefined && { osDisk: { id: diskId, sizeGb, ...osDiskOf(vm, facts.disk) } }),
    isSpot: facts.isSpot || ('priority' in vm && (vm.priority === 'Spot' || vm.priority === 'Low')),
    tags: vm.tags ?? {},
  };
}

function osDiskOf(
  { storageProfile, instanceView }: VirtualMachine | VirtualMachineScaleSetVM,
  disk: DiskFacts | undefined,
): Omit<OsDisk, 'id' | 'sizeGb'> {
  const setId = storageProfile?.osDisk?.managedDisk?.diskEncryptionSet?.id;
  const controller = storageProfile?.diskControllerType;
  const generation = instanceView && 'hyperVGeneration' in instanceView ? instanceView.hyperVGeneration : undefined;
  return {
    ...((generation === 'V1' || generation === 'V2') && { generation }),
    ...((controller === 'SCSI' || controller === 'NVMe') && { controller }),
    ...(setId && { diskEncryptionSetId: setId }),
    // What the disk says of itself is newer: its key can be changed while the VM is off.
    ...(disk && { ...osDiskFacts(disk) }),
  };
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
