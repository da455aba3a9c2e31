// sims/azure/compute/capacity.ts: how many instances may a scale set have?
import { ArmError } from '../service/arm-error.ts';
import { fieldAt, numberAt } from '../service/json.ts';
import type { SimScaleSet } from '../world.ts';

const MOST = 1000;
const MOST_IN_ONE_PLACEMENT_GROUP = 100;

export function capacityOf(set: Pick<SimScaleSet, 'top'>): number {
  return numberAt(set.top, 'sku', 'capacity') ?? 0;
}

/** Checked before any instance is made: a thousand times too many would take all memory of this machine. */
export function requireCapacity(set: Pick<SimScaleSet, 'name' | 'top' | 'properties'>): void {
  const capacity = fieldAt(set.top, 'sku', 'capacity') ?? 0;
  if (typeof capacity !== 'number' || !Number.isInteger(capacity) || capacity < 0) {
    throw new ArmError(
      400,
      'InvalidParameter',
      `The value '${String(capacity)}' of parameter 'sku.capacity' is invalid: a whole number from 0 to ${MOST}.`,
    );
  }
  const most = set.properties.singlePlacementGroup === true ? MOST_IN_ONE_PLACEMENT_GROUP : MOST;
  if (capacity <= most) return;
  throw new ArmError(
    409,
    'OperationNotAllowed',
    `Unable to create or update Virtual Machine Scale Set '${set.name}' as it exceeds the total limit of '${most}' Virtual Machine instances.`,
  );
}
