// sims/azure/standby/lookup.ts: which standby pool does this request name, and which one belongs to a scale set?
import { type ArmError, resourceNotFound } from '../service/arm-error.ts';
import type { ArmCall } from '../service/call.ts';
import { groupId, keyOf, type SimScaleSet, type SimStandbyPool, type SimWorld, STANDBY_PROVIDER } from '../world.ts';

export function poolId(world: SimWorld, { params }: Pick<ArmCall, 'params'>): string {
  return `${groupId(world, params.group ?? '')}/${STANDBY_PROVIDER}/standbyVirtualMachinePools/${params.pool}`;
}

export function requirePool(world: SimWorld, call: Pick<ArmCall, 'params'>): SimStandbyPool {
  const pool = world.standbyPools[keyOf(poolId(world, call))];
  if (pool) return pool;
  throw poolNotFound(call.params.pool ?? '', call.params.group);
}

export function poolNotFound(name: string, group = ''): ArmError {
  return resourceNotFound('Microsoft.StandbyPool/standbyVirtualMachinePools', name, group);
}

/** Documented: a scale set has at most one. */
export function poolOf(world: SimWorld, set: Pick<SimScaleSet, 'id'>): SimStandbyPool | undefined {
  return Object.values(world.standbyPools).find(({ scaleSetId }) => keyOf(scaleSetId) === keyOf(set.id));
}
