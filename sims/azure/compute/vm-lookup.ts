// sims/azure/compute/vm-lookup.ts: which virtual machine does this request name? Only instances of Flexible sets are ordinary VMs.
import { resourceNotFound } from '../service/arm-error.ts';
import type { ArmCall } from '../service/call.ts';
import { groupId, keyOf, PROVIDER, type SimInstance, type SimScaleSet, type SimWorld } from '../world.ts';

export function requireVm(world: SimWorld, call: ArmCall): { set: SimScaleSet; instance: SimInstance } {
  const { group = '', vm = '' } = call.params;
  const instance = world.instances[keyOf(`${groupId(world, group)}/${PROVIDER}/virtualMachines/${vm}`)];
  const set = instance && world.scaleSets[keyOf(instance.scaleSetId)];
  if (!instance || !set) throw resourceNotFound('Microsoft.Compute/virtualMachines', vm, group);
  return { set, instance };
}
