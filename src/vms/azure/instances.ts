// vms/azure/instances.ts: list and read a pool's instances.
import type { VirtualMachine, VirtualMachineScaleSetVM } from '@azure/arm-compute';
import type { CallOptions } from '../../base/call-options.ts';
import { NotFound } from '../../base/failures.ts';
import type { Instance, InstanceRef, ListedInstance, PoolRef } from '../pools.ts';
import { parseVmId, type ScaleSetRef, type VmRef, vmId } from './arm-ids.ts';
import type { Azure } from './azure.ts';
import type { AzureCall } from './connect/connection.ts';
import { collectPages, undefinedIfMissing } from './connect/reading.ts';
import { knownDisk, osDiskFacts, readDisk } from './disks.ts';
import { poolNotFound } from './pool-not-found.ts';
import { poolScaleSet, readSetRef, refOf } from './read-scale-set.ts';
import type { SetTraits } from './scale-set.ts';
import { isInService, listedOf, memberFacts } from './vm.ts';

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
    const isSpotSet = (await traitsOfPool(azure, call, instance.pool))?.isSpot ?? false;
    return withDisk(azure, call, member, instance, { isSpot: isSpotSet, member });
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
  { isSpot, member }: { isSpot: boolean; member: VirtualMachineScaleSetVM | undefined },
): Promise<Instance> {
  const { osDisk, ...listed } = listedOf(vm, ref, isSpot);
  const found = { ...listed, ...memberFacts(member) };
  if (!osDisk) return found;
  // A deallocated VM does not report the size, and its disk may have been resized since.
  const isSizeKnown = osDisk.sizeGb !== undefined;
  const disk = isSizeKnown ? await knownDisk(azure.knownDisks, call, osDisk.id) : await readDisk(call, osDisk.id);
  const sizeGb = osDisk.sizeGb ?? disk?.sizeGb;
  if (sizeGb === undefined) return found;
  // What the disk says of itself is newer: its key can be changed while the VM is off.
  return { ...found, osDisk: { ...osDisk, sizeGb, ...(disk && osDiskFacts(disk)) } };
}

export async function listInstances(azure: Azure, pool: PoolRef, options?: CallOptions): Promise<ListedInstance[]> {
  const call = await azure.open(options);
  const set = await traitsOfPool(azure, call, pool);
  if (!set) throw await poolNotFound(call, poolScaleSet(pool));
  const listed = await instancesOfSet(call, set);
  // The list of a flexible set that is gone is empty, not refused.
  if (listed.length === 0 && !(await readSetRef(azure, call, poolScaleSet(pool))))
    throw await poolNotFound(call, poolScaleSet(pool));
  const member = typicalOf(listed);
  if (member) azure.knownMembers.set(pool.id.toLowerCase(), member);
  return listed;
}

/** An instance with a disk, of the current model if there is one: the pool's hardware is read from it. */
export function typicalOf(instances: readonly ListedInstance[]): ListedInstance | undefined {
  const withDisks = instances.filter(({ osDisk }) => osDisk);
  return withDisks.find(({ isOnLatestModel }) => isOnLatestModel) ?? withDisks[0];
}

/** undefined: there is no such scale set. */
async function traitsOfPool(azure: Azure, call: AzureCall, pool: PoolRef): Promise<SetTraits | undefined> {
  const { knownTraits } = azure;
  const key = pool.id.toLowerCase();
  if (!knownTraits.has(key)) await readSetRef(azure, call, poolScaleSet(pool));
  return knownTraits.get(key);
}

/** A list that comes in pages, as the SDK returns it. */
type PagedList<T> = AsyncIterable<T> & { byPage(): AsyncIterable<T[]> };
type ReadList = <T>(list: PagedList<T>) => Promise<T[]>;

/**
 * All of them, or with `firstPage` those that one request returns. A list of VMs has neither the protection of a flexible
 * instance nor whether it is on the latest model, and the scale set's own list has nearly nothing: `readInstance` has both.
 */
export async function instancesOfSet(
  call: AzureCall,
  set: SetTraits,
  read: ReadList = collectPages,
): Promise<ListedInstance[]> {
  const pool = refOf(set);
  const owner = poolScaleSet(pool);
  const what = `instances of ${set.name}`;
  const { virtualMachineScaleSetVMs, virtualMachines } = call.compute(owner.subscriptionId);
  if (!set.isFlexible) {
    const members = await call.run(what, () =>
      read(virtualMachineScaleSetVMs.list(owner.resourceGroup, owner.name, { expand: 'instanceView' })),
    );
    return members.map((member) => {
      const id = vmId({ ...owner, mode: 'uniform', scaleSet: owner.name, instanceId: member.instanceId ?? '' });
      return { ...listedOf(member, { pool, id }, set.isSpot), ...memberFacts(member) };
    });
  }
  const filter = `'virtualMachineScaleSet/id' eq '${set.id}'`;
  const vms = await call.run(what, () =>
    read(virtualMachines.list(owner.resourceGroup, { filter, expand: 'instanceView' })),
  );
  return vms
    .filter(isInService)
    .map((vm) => listedOf(vm, { pool, id: vmId({ ...owner, mode: 'flexible', name: vm.name ?? '' }) }, false));
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
