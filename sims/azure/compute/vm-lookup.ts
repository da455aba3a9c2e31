// sims/azure/compute/vm-lookup.ts: which virtual machine does this request speak of? Only instances of Flexible sets are ordinary VMs.
import { resourceNotFound } from '../service/arm-error.ts';
import type { Call } from '../service/call.ts';
import { groupId, type Instance, keyOf, PROVIDER, type ScaleSet, type World } from '../world.ts';

export function requireVm(world: World, call: Call): { set: ScaleSet; instance: Instance } {
  const { group = '', vm = '' } = call.params;
  const instance = world.instances[keyOf(`${groupId(world, group)}/${PROVIDER}/virtualMachines/${vm}`)];
  const set = instance && world.scaleSets[keyOf(instance.scaleSetId)];
  if (!instance || !set) throw resourceNotFound('Microsoft.Compute/virtualMachines', vm, group);
  return { set, instance };
}
