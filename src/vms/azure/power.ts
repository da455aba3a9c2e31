// vms/azure/power.ts: stop, deallocate and start an instance. Requests are sent whatever the current state: repeating is harmless, acting on a stale read is not.
import type { CallOptions } from '../../base/call-options.ts';
import type { InstanceRef } from '../pools.ts';
import type { Azure } from './azure.ts';
import { runOperation } from './connect/operations.ts';
import { instanceVm } from './instances.ts';

/** Shuts the guest down cleanly. Azure keeps the capacity and the address, and keeps billing. */
export async function stop(azure: Azure, instance: InstanceRef, options?: CallOptions): Promise<void> {
  const call = await azure.open(options);
  const vm = instanceVm(instance);
  const { virtualMachineScaleSetVMs, virtualMachines } = call.compute(vm.subscriptionId);
  await runOperation(call, { verb: 'stopping', thing: nameOf(instance) }, () =>
    vm.mode === 'uniform'
      ? virtualMachineScaleSetVMs.powerOff(vm.resourceGroup, vm.scaleSet, vm.instanceId)
      : virtualMachines.powerOff(vm.resourceGroup, vm.name),
  );
}

export async function deallocate(azure: Azure, instance: InstanceRef, options?: CallOptions): Promise<void> {
  const call = await azure.open(options);
  const vm = instanceVm(instance);
  const { virtualMachineScaleSetVMs, virtualMachines } = call.compute(vm.subscriptionId);
  await runOperation(call, { verb: 'deallocating', thing: nameOf(instance) }, () =>
    vm.mode === 'uniform'
      ? virtualMachineScaleSetVMs.deallocate(vm.resourceGroup, vm.scaleSet, vm.instanceId)
      : virtualMachines.deallocate(vm.resourceGroup, vm.name),
  );
}

export async function start(azure: Azure, instance: InstanceRef, options?: CallOptions): Promise<void> {
  const call = await azure.open(options);
  const vm = instanceVm(instance);
  const { virtualMachineScaleSetVMs, virtualMachines } = call.compute(vm.subscriptionId);
  await runOperation(call, { verb: 'starting', thing: nameOf(instance) }, () =>
    vm.mode === 'uniform'
      ? virtualMachineScaleSetVMs.start(vm.resourceGroup, vm.scaleSet, vm.instanceId)
      : virtualMachines.start(vm.resourceGroup, vm.name),
  );
}

function nameOf(instance: InstanceRef): string {
  const vm = instanceVm(instance);
  return vm.mode === 'uniform' ? `instance ${vm.instanceId} of ${instance.pool.name}` : `instance ${vm.name}`;
}
