// vms/azure/pool-not-found.ts: which part does not exist, the pool or its resource group, and which pools do exist?

import { NotFound } from '../../base/failures.ts';
import { didYouMean, fewNames } from '../../base/nearest-names.ts';
import { parseScaleSetId, type ScaleSetRef, scaleSetId } from './arm-ids.ts';
import type { AzureCall } from './connect/connection.ts';
import { collectPages } from './connect/reading.ts';
import { AzureError } from './connect/translate-errors.ts';

/** Omits what the login may not list. */
export async function poolNotFound(call: AzureCall, ref: ScaleSetRef): Promise<NotFound> {
  const group = `resource group ${ref.resourceGroup} of subscription ${ref.subscriptionId}`;
  const pools = await poolsOfGroup(call, ref);
  const [elsewhere] = await namesakes(call, ref);
  const missing = pools === 'no-group' ? group : `pool ${ref.name} in ${group}`;
  if (elsewhere) {
    return new NotFound(missing, undefined, {
      instead: `there is a pool ${elsewhere.name} in resource group ${elsewhere.resourceGroup}`,
      next: `give --resource-group ${elsewhere.resourceGroup}${
        pools === 'no-group'
          ? ''
          : `; or, to keep gallery and snapshot in ${ref.resourceGroup}, --pool ${scaleSetId(elsewhere)}`
      }`,
    });
  }
  if (pools === 'no-group') {
    return new NotFound(missing, undefined, {
      next: 'name another group with --resource-group or AZURE_RESOURCE_GROUP, or another subscription with --subscription; `az group list` shows the groups',
    });
  }
  if (pools === undefined) return new NotFound(missing);
  if (pools.length === 0) {
    return new NotFound(missing, undefined, {
      instead: 'that group has no pools',
      next: 'name the group of the pool with --resource-group; AKS puts its pools in a separate group (MC_…)',
    });
  }
  return new NotFound(missing, undefined, {
    instead: `that group has ${fewNames(pools)}${didYouMean(ref.name, pools)}`,
    next: 'name one of those with --pool, or another group with --resource-group',
  });
}

async function poolsOfGroup(call: AzureCall, ref: ScaleSetRef): Promise<string[] | 'no-group' | undefined> {
  try {
    const { virtualMachineScaleSets } = call.compute(ref.subscriptionId);
    const sets = await call.run(`scale sets of ${ref.resourceGroup}`, () =>
      collectPages(virtualMachineScaleSets.list(ref.resourceGroup)),
    );
    return sets.flatMap(({ name }) => name ?? []).sort();
  } catch (error) {
    call.signal?.throwIfAborted();
    const { cause } = error as Error;
    return cause instanceof AzureError && cause.code === 'ResourceGroupNotFound' ? 'no-group' : undefined;
  }
}

/** Pools of the same name in the subscription; empty when the login may not list it. */
async function namesakes(call: AzureCall, ref: ScaleSetRef): Promise<ScaleSetRef[]> {
  try {
    const { virtualMachineScaleSets } = call.compute(ref.subscriptionId);
    const sets = await call.run('scale sets of the subscription', () =>
      collectPages(virtualMachineScaleSets.listAll()),
    );
    return sets
      .flatMap(({ id }) => parseScaleSetId(id ?? '') ?? [])
      .filter(({ name }) => name.toLowerCase() === ref.name.toLowerCase());
  } catch {
    call.signal?.throwIfAborted();
    return [];
  }
}
