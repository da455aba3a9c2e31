// sims/azure/compute/lookup.ts: which scale set or virtual machine does this request name?
import { resourceNotFound } from '../service/arm-error.ts';
import type { ArmCall } from '../service/call.ts';
import { groupId, keyOf, PROVIDER, type SimInstance, type SimScaleSet, type SimWorld } from '../world.ts';

export function scaleSetId(world: SimWorld, { params }: ArmCall): string {
  return `${groupId(world, params.group ?? '')}/${PROVIDER}/virtualMachineScaleSets/${params.scaleSet}`;
}

export function requireScaleSet(world: SimWorld, call: ArmCall): SimScaleSet {
  const set = world.scaleSets[keyOf(scaleSetId(world, call))];
  if (set) return set;
  const { group = '', scaleSet = '' } = call.params;
  throw resourceNotFound('Microsoft.Compute/virtualMachineScaleSets', scaleSet, group);
}

/** Only instances of Flexible sets are ordinary VMs. */
export function requireVm(world: SimWorld, call: ArmCall): { set: SimScaleSet; instance: SimInstance } {
  const { group = '', vm = '' } = call.params;
  const instance = world.instances[keyOf(`${groupId(world, group)}/${PROVIDER}/virtualMachines/${vm}`)];
  const set = instance && world.scaleSets[keyOf(instance.scaleSetId)];
  if (!instance || !set) throw resourceNotFound('Microsoft.Compute/virtualMachines', vm, group);
  return { set, instance };
}
