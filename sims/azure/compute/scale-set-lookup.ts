// sims/azure/compute/scale-set-lookup.ts: which scale set does this request speak of?
import { resourceNotFound } from '../service/arm-error.ts';
import type { Call } from '../service/call.ts';
import { groupId, keyOf, PROVIDER, type ScaleSet, type World } from '../world.ts';

export function scaleSetId(world: World, { params }: Call): string {
  return `${groupId(world, params.group ?? '')}/${PROVIDER}/virtualMachineScaleSets/${params.scaleSet}`;
}

export function requireScaleSet(world: World, call: Call): ScaleSet {
  const set = world.scaleSets[keyOf(scaleSetId(world, call))];
  if (set) return set;
  const { group = '', scaleSet = '' } = call.params;
  throw resourceNotFound('Microsoft.Compute/virtualMachineScaleSets', scaleSet, group);
}
