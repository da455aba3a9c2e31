// vms/azure/standby/read-standby.ts: what does the standby pool of a scale set keep, and in which state are its VMs?
import type { CallOptions } from '../../../base/call-options.ts';
import type { PoolRef } from '../../pools.ts';
import type { StandbyCounts, StandbyMember, StandbyState } from '../../standby.ts';
import type { Azure } from '../azure.ts';
import type { AzureCall } from '../connect/connection.ts';
import { poolNotFound } from '../pool-not-found.ts';
import { poolScaleSet, readScaleSet } from '../read-scale-set.ts';
import type { AzureScaleSet } from '../scale-set.ts';
import { memberOf, stateOf } from './describe-state.ts';
import { countsOf } from './properties.ts';
import { findAttached, listStandbyVms, readRuntimeView } from './resources.ts';
import type { AzureStandbyPool, RuntimeView } from './schema.ts';
import { readStandbyVms } from './standby-vms.ts';

/** Also of a pool that someone else attached. */
export async function readStandby(
  azure: Azure,
  pool: PoolRef,
  options?: CallOptions,
): Promise<StandbyState | undefined> {
  const call = await azure.open(options);
  const set = await requireSet(call, pool);
  const seen = await lookAt(call, pool, set);
  return seen && stateOf(seen.counts, seen.members, seen.view);
}

export interface SeenStandby {
  standbyPool: AzureStandbyPool;
  counts: StandbyCounts;
  members: StandbyMember[];
  view: RuntimeView | undefined;
}

export async function lookAt(call: AzureCall, pool: PoolRef, set: AzureScaleSet): Promise<SeenStandby | undefined> {
  const standbyPool = await findAttached(call, poolScaleSet(pool), set.id);
  if (!standbyPool || standbyPool.properties.provisioningState === 'Deleting') return undefined;
  const counts = countsOf(standbyPool.properties, set.sku?.capacity ?? 0);
  const view = await readRuntimeView(call, standbyPool.id);
  const vms = await readStandbyVms(call, await listStandbyVms(call, standbyPool.id));
  // The list may be older than the VM itself: one that has left is no member.
  const members = vms.filter(({ isInPool }) => isInPool !== false).map((vm) => memberOf(pool, standbyPool, vm, counts));
  return { standbyPool, counts, members, view };
}

export async function requireSet(call: AzureCall, pool: PoolRef): Promise<AzureScaleSet> {
  const ref = poolScaleSet(pool);
  const set = await readScaleSet(call, ref);
  if (!set) throw await poolNotFound(call, ref);
  return set;
}
