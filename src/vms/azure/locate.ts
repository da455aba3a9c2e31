// vms/azure/locate.ts: which instance has this provider id? Node names are not enough: each pool chooses its name prefix.
import type { VirtualMachine } from '@azure/arm-compute';
import type { CallOptions } from '../../base/call-options.ts';
import { NotFound, Refused } from '../../base/failures.ts';
import type { InstanceRef, ParsedProviderId, PoolRef } from '../pools.ts';
import { parseScaleSetId, parseVmId, type ScaleSetRef, scaleSetId, type VmRef, vmId } from './arm-ids.ts';
import type { Azure } from './azure.ts';
import type { AzureCall } from './connect/connection.ts';
import { collectPages, undefinedIfMissing } from './connect/reading.ts';
import { readSetRef } from './read-scale-set.ts';

/** `azure:///subscriptions/…`, ignoring case, in any resource group. */
export function parseProviderId(providerId: string): VmRef {
  const id = /^azure:\/\/(\/.+)$/i.exec(providerId.trim())?.[1];
  if (!id) throw new Refused(`'${providerId}' is not an Azure provider id`, 'vms/not-an-instance');
  const vm = parseVmId(id.replace(/\/+$/, ''));
  if (!vm) throw new Refused(`'${providerId}' does not name a virtual machine`, 'vms/not-an-instance');
  return vm;
}

/** A flexible instance's provider id does not name its scale set. */
export function parsedProviderId(_: Azure, providerId: string): ParsedProviderId | undefined {
  const vm = vmOf(providerId);
  if (!vm) return undefined;
  return { instanceId: vmId(vm), ...(vm.mode === 'uniform' && { poolId: scaleSetId(setOf(vm)) }) };
}

export async function locate(azure: Azure, providerId: string, options?: CallOptions): Promise<InstanceRef> {
  const call = await azure.open(options);
  const vm = parseProviderId(providerId);
  const owner = vm.mode === 'uniform' ? setOf(vm) : ownerOf(await readVm(call, vm));
  if (!owner) throw new Refused(`'${providerId}' is a standalone VM, not part of a scale set`, 'vms/not-an-instance');
  const pool = await readSetRef(azure, call, owner);
  if (!pool) throw new NotFound(`scale set ${owner.name}`);
  return instanceIn(pool, vm);
}

/** One request per scale set; for flexible instances also one list per resource group. */
export async function locateAll(
  azure: Azure,
  providerIds: readonly string[],
  options?: CallOptions,
): Promise<Map<string, InstanceRef>> {
  const call = await azure.open(options);
  const vms = providerIds.flatMap((providerId) => {
    const vm = vmOf(providerId);
    return vm ? [{ providerId, vm }] : [];
  });
  const owners = await ownersOf(
    call,
    vms.flatMap(({ vm }) => (vm.mode === 'flexible' ? [vm] : [])),
  );
  const pools = new Map<string, PoolRef | undefined>();
  const found = new Map<string, InstanceRef>();
  for (const { providerId, vm } of vms) {
    const owner = vm.mode === 'uniform' ? setOf(vm) : owners.get(vmId(vm).toLowerCase());
    if (!owner) continue;
    const key = scaleSetId(owner).toLowerCase();
    if (!pools.has(key)) pools.set(key, await readSetRef(azure, call, owner));
    const pool = pools.get(key);
    if (pool) found.set(providerId, instanceIn(pool, vm));
  }
  return found;
}

type FlexibleVm = VmRef & { mode: 'flexible' };

/** For so few VMs of a group it is cheaper to read each than to list the group. */
const FEW = 3;

/** By the VM's id in lower case. */
async function ownersOf(call: AzureCall, vms: readonly FlexibleVm[]): Promise<Map<string, ScaleSetRef>> {
  const owners = new Map<string, ScaleSetRef>();
  const keep = (id: string, vm: VirtualMachine | undefined) => {
    const owner = vm && ownerOf(vm);
    if (owner) owners.set(id.toLowerCase(), owner);
  };
  const groups = Map.groupBy(vms, (vm) => `${vm.subscriptionId}/${vm.resourceGroup}`.toLowerCase());
  for (const members of groups.values()) {
    if (members.length <= FEW) {
      for (const vm of members) keep(vmId(vm), await undefinedIfMissing(() => readVm(call, vm)));
      continue;
    }
    const { subscriptionId, resourceGroup } = members[0]!;
    const listed = await undefinedIfMissing(() =>
      call.run(`VMs of ${resourceGroup}`, () =>
        collectPages(call.compute(subscriptionId).virtualMachines.list(resourceGroup)),
      ),
    );
    for (const vm of listed ?? [])
      keep(vmId({ mode: 'flexible', subscriptionId, resourceGroup, name: vm.name ?? '' }), vm);
  }
  return owners;
}

function readVm(call: AzureCall, vm: FlexibleVm): Promise<VirtualMachine> {
  return call.run(`VM ${vm.name}`, () =>
    call.compute(vm.subscriptionId).virtualMachines.get(vm.resourceGroup, vm.name),
  );
}

function ownerOf({ virtualMachineScaleSet }: VirtualMachine): ScaleSetRef | undefined {
  return virtualMachineScaleSet?.id ? parseScaleSetId(virtualMachineScaleSet.id) : undefined;
}

/** With the scale set's spelling of its name; Kubernetes may use another case. */
function instanceIn(pool: PoolRef, vm: VmRef): InstanceRef {
  return { pool, id: vm.mode === 'uniform' ? vmId({ ...vm, scaleSet: pool.name }) : vmId(vm) };
}

function setOf(vm: VmRef & { mode: 'uniform' }): ScaleSetRef {
  return { subscriptionId: vm.subscriptionId, resourceGroup: vm.resourceGroup, name: vm.scaleSet };
}

function vmOf(providerId: string): VmRef | undefined {
  try {
    return parseProviderId(providerId);
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}
