// sims/azure/compute/scale-set-lookup.ts: which scale set does this request name?
import { resourceNotFound } from '../service/arm-error.ts';
import type { ArmCall } from '../service/call.ts';
import { groupId, keyOf, PROVIDER, type SimScaleSet, type SimWorld } from '../world.ts';

export function scaleSetId(world: SimWorld, { params }: ArmCall): string {
  return `${groupId(world, params.group ?? '')}/${PROVIDER}/virtualMachineScaleSets/${params.scaleSet}`;
}

export function requireScaleSet(world: SimWorld, call: ArmCall): SimScaleSet {
  const set = world.scaleSets[keyOf(scaleSetId(world, call))];
  if (set) return set;
  const { group = '', scaleSet = '' } = call.params;
  throw resourceNotFound('Microsoft.Compute/virtualMachineScaleSets', scaleSet, group);
}
