// vms/azure/instances.ts: locate, list and read a pool's instances.
import type { VirtualMachine, VirtualMachineScaleSetVM } from '@azure/arm-compute';
import type { CallOptions } from '../../base/call-options.ts';
import { NotFound, Refused } from '../../base/failures.ts';
import type { Instance, InstanceRef, PoolRef } from '../pools.ts';
import { parseScaleSetId, parseVmId, type ScaleSetRef, type VmRef, vmId } from './arm-ids.ts';
import type { Azure } from './azure.ts';
import type { AzureCall } from './connect/connection.ts';
import { collectPages, undefinedIfMissing } from './connect/reading.ts';
import { knownDisk, readDisk } from './disks.ts';
import { parseProviderId } from './locate.ts';
import { poolNotFound } from './pool-not-found.ts';
import { poolScaleSet, readScaleSet, refOf } from './read-scale-set.ts';
import { type AzureScaleSet, isFlexible, isSpot } from './scale-set.ts';
import { instanceOf } from './vm.ts';

export async function locate(azure: Azure, providerId: string, options?: CallOptions): Promise<InstanceRef> {
  const call = await azure.open(options);
  const vm = parseProviderId(providerId);
  const owner = vm.mode === 'uniform' ? { ...vm, name: vm.scaleSet } : await ownerOf(call, vm, providerId);
  const set = await readScaleSet(call, owner);
  if (!set) throw new NotFound(`scale set ${owner.name}`);
  const pool = refOf(set);
  // The scale set's spelling of its name; Kubernetes may use another case.
  const id = vm.mode === 'uniform' ? vmId({ ...vm, scaleSet: pool.name }) : vmId(vm);
  return { pool, id };
}

export async function readInstance(
  azure: Azure,
  instance: InstanceRef,
  options?: CallOptions,
): Promise<Instance | undefined> {
  const call = await azure.open(options);
  const ref = instanceVm(instance);
  const owner = poolScaleSet(instance.pool);
  const member = await undefinedIfMissing(() => readMember(call, owner, ref));
  if (ref.mode === 'uniform') {
    if (!member) return undefined;
    const isSpotPool = azure.knownSpot.get(instance.pool.id) ?? (await isSpotSet(call, owner));
    azure.knownSpot.set(instance.pool.id, isSpotPool);
    return withDisk(azure, call, member, instance, { isSpot: isSpotPool, member });
  }
  const vm = await undefinedIfMissing(() =>
    call.run(`VM ${ref.name}`, () =>
      call.compute(ref.subscriptionId).virtualMachines.get(ref.resourceGroup, ref.name, { expand: 'instanceView' }),
    ),
  );
  return vm && withDisk(azure, call, vm, instance, { isSpot: false, member });
}

/** With the facts of its disk, which a donor is judged by. */
async function withDisk(
  azure: Azure,
  call: AzureCall,
  vm: VirtualMachine | VirtualMachineScaleSetVM,
  ref: InstanceRef,
  facts: { isSpot: boolean; member: VirtualMachineScaleSetVM | undefined },
): Promise<Instance> {
  const { diskSizeGB, managedDisk } = vm.storageProfile?.osDisk ?? {};
  // A deallocated VM does not report the size, and its disk may have been resized since.
  if (diskSizeGB === undefined || !managedDisk?.id) return toInstance(call, vm, ref, facts);
  return instanceOf(vm, ref, { ...facts, disk: await knownDisk(azure.knownDisks, call, managedDisk.id) });
}

export async function listInstances(azure: Azure, pool: PoolRef, options?: CallOptions): Promise<Instance[]> {
  const call = await azure.open(options);
  const ref = poolScaleSet(pool);
  const set = await readScaleSet(call, ref);
  if (!set) throw await poolNotFound(call, ref);
  return instancesOfSet(call, set);
}

export async function instancesOfSet(call: AzureCall, set: AzureScaleSet): Promise<Instance[]> {
  const pool = refOf(set);
  const owner = poolScaleSet(pool);
  const what = `instances of ${set.name}`;
  const { virtualMachineScaleSetVMs, virtualMachines } = call.compute(owner.subscriptionId);
  const found: Instance[] = [];
  if (!isFlexible(set)) {
    const members = await call.run(what, () =>
      collectPages(virtualMachineScaleSetVMs.list(owner.resourceGroup, owner.name, { expand: 'instanceView' })),
    );
    for (const member of members) {
      const id = vmId({ ...owner, mode: 'uniform', scaleSet: owner.name, instanceId: member.instanceId ?? '' });
      found.push(await toInstance(call, member, { pool, id }, { isSpot: isSpot(set), member }));
    }
    return found;
  }
  const filter = `'virtualMachineScaleSet/id' eq '${set.id}'`;
  const vms = await call.run(what, () =>
    collectPages(virtualMachines.list(owner.resourceGroup, { filter, expand: 'instanceView' })),
  );
  for (const vm of vms) {
    const ref = { ...owner, mode: 'flexible', name: vm.name ?? '' } as const;
    // The scale set's list lacks protection and model state of flexible members, so read each one.
    const member = await undefinedIfMissing(() => readMember(call, owner, ref));
    found.push(await toInstance(call, vm, { pool, id: vmId(ref) }, { isSpot: false, member }));
  }
  return found;
}

export function instanceVm(instance: InstanceRef): VmRef {
  const ref = parseVmId(instance.id);
  if (!ref) throw new NotFound(`instance ${instance.id}`);
  return ref;
}

/** The instance as a member of its scale set; uniform members are addressed by number, flexible ones by name. */
export function readMember(call: AzureCall, owner: ScaleSetRef, ref: VmRef): Promise<VirtualMachineScaleSetVM> {
  const memberId = ref.mode === 'uniform' ? ref.instanceId : ref.name;
  return call.run(`instance ${memberId} of ${owner.name}`, () =>
    call
      .compute(owner.subscriptionId)
      .virtualMachineScaleSetVMs.get(owner.resourceGroup, owner.name, memberId, { expand: 'instanceView' }),
  );
}

async function ownerOf(call: AzureCall, vm: VmRef & { mode: 'flexible' }, providerId: string): Promise<ScaleSetRef> {
  const found = await call.run(`VM ${vm.name}`, () =>
    call.compute(vm.subscriptionId).virtualMachines.get(vm.resourceGroup, vm.name),
  );
  const owner = found.virtualMachineScaleSet?.id ? parseScaleSetId(found.virtualMachineScaleSet.id) : undefined;
  if (!owner) throw new Refused(`'${providerId}' is a standalone VM, not part of a scale set`, 'vms/not-an-instance');
  return owner;
}

async function isSpotSet(call: AzureCall, owner: ScaleSetRef): Promise<boolean> {
  const set = await readScaleSet(call, owner);
  return set ? isSpot(set) : false;
}

async function toInstance(
  call: AzureCall,
  vm: VirtualMachine | VirtualMachineScaleSetVM,
  ref: InstanceRef,
  facts: { isSpot: boolean; member: VirtualMachineScaleSetVM | undefined },
): Promise<Instance> {
  const osDisk = vm.storageProfile?.osDisk;
  const id = osDisk?.diskSizeGB === undefined ? osDisk?.managedDisk?.id : undefined;
  return instanceOf(vm, ref, id ? { ...facts, disk: await readDisk(call, id) } : facts);
}
