// local/autoscaler/plan-sizes.ts: what becomes of a node group when the autoscaler adds nodes, takes back a request, or deletes nodes? Pure.
import { Refused } from '../../base/failures.ts';

export interface GroupLimits {
  min: number;
  max: number;
}

export interface GroupFacts extends GroupLimits {
  /** In service, and not being deleted. */
  instances: readonly { id: string; isProtected: boolean }[];
  /** The size that was requested last; absent once the pool had it. */
  requested?: number;
  /** Instances that are being made and may not be listed yet: it is too late to take them back. */
  unseen: number;
  /** Ids of requested instances that do not exist yet. */
  pending: readonly string[];
}

/** Never above the maximum, unless the pool has more instances than that. */
export function targetSize({ requested = 0, instances, max }: GroupFacts): number {
  return Math.max(Math.min(requested, max), instances.length);
}

/** Returns the new target. */
export function planIncrease(group: GroupFacts, delta: number): number {
  if (!isCount(delta)) throw new Refused(`cannot add ${delta} nodes`, 'autoscaler/bad-delta');
  const target = targetSize(group) + delta;
  if (target <= group.max) return target;
  throw new Refused(
    `${targetSize(group)} and ${delta} more are above the maximum of ${group.max}`,
    'autoscaler/above-maximum',
  );
}

/** Takes back what was requested and has not been created. Returns the new target. */
export function planDecrease(group: GroupFacts, delta: number): number {
  if (!isCount(-delta)) throw new Refused(`cannot take back ${-delta} nodes`, 'autoscaler/bad-delta');
  const target = targetSize(group) + delta;
  const least = existing(group);
  if (target < least)
    throw new Refused(`${least} nodes exist or are being made; delete them by name`, 'autoscaler/nodes-exist');
  if (target < group.min) throw belowMinimum(group, target);
  return target;
}

export interface Deletion {
  instances: string[];
  pending: string[];
  target: number;
}

/**
 * What is deleted already is skipped, so that the same call can be repeated. A request that failed is dropped too, but not below the
 * minimum: then it is tried again.
 */
export function planDeletion(group: GroupFacts, ids: readonly string[]): Deletion {
  const named = new Set(ids);
  const instances = group.instances.filter(({ id }) => named.has(id));
  const pending = group.pending.filter((id) => named.has(id));
  const kept = instances.filter(({ isProtected }) => isProtected).map(({ id }) => id);
  if (kept.length > 0)
    throw new Refused(`protected from scale-in: ${kept.join(', ')}; nothing was deleted`, 'autoscaler/protected');
  const without = targetSize(group) - instances.length;
  if (instances.length > 0 && without < group.min) throw belowMinimum(group, without);
  const least = Math.max(existing(group) - instances.length, Math.min(without, group.min));
  const target = Math.max(least, without - pending.length);
  return { instances: instances.map(({ id }) => id), pending, target };
}

const existing = ({ instances, unseen }: GroupFacts) => instances.length + unseen;
const isCount = (value: number) => Number.isInteger(value) && value > 0;

function belowMinimum({ min }: GroupFacts, target: number): Refused {
  return new Refused(`${target} nodes are below the minimum of ${min}`, 'autoscaler/below-minimum');
}
