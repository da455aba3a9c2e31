// vms/azure/standby/set-standby.ts: make, change or delete the standby pool of a scale set. What Azure would refuse is refused here, before anything is touched.
import type { CallOptions } from '../../../base/call-options.ts';
import { Forbidden, Refused } from '../../../base/failures.ts';
import type { PoolRef } from '../../pools.ts';
import type { StandbyPolicy } from '../../standby.ts';
import { readPermissions } from '../access/check-access.ts';
import { missingActions, STANDBY_ACTIONS } from '../access/rights.ts';
import { groupPath } from '../arm-ids.ts';
import type { Azure } from '../azure.ts';
import type { AzureCall } from '../connect/connection.ts';
import { poolScaleSet } from '../read-scale-set.ts';
import { propertiesOf } from './properties.ts';
import { requireSet } from './read-standby.ts';
import { notesOf, refusalsOf, type StandbyRefusal } from './refusals.ts';
import { deleteStandbyPool, findAttached, standbyPoolId, writeStandbyPool } from './resources.ts';
import { standbyName } from './standby-name.ts';

export async function setStandby(
  azure: Azure,
  pool: PoolRef,
  policy: StandbyPolicy,
  options?: CallOptions,
): Promise<void> {
  const call = await azure.open(options);
  const set = await requireSet(call, pool);
  const ref = poolScaleSet(pool);
  await requireRights(call, pool);
  const attached = await findAttached(call, ref, set.id);
  const name = standbyName(set);
  const asked = { set, policy, name, attached, region: set.location };
  throwRefusals(refusalsOf(asked));
  for (const note of notesOf(asked)) call.waiting(note);
  await writeStandbyPool(call, attached?.id ?? standbyPoolId(ref, name), {
    location: set.location,
    tags: { ...attached?.tags, 'headstart-standby': set.name },
    properties: propertiesOf(policy.counts, set.id),
  });
}

/** Only the pool that headstart made: another one belongs to someone. */
export async function deleteStandby(azure: Azure, pool: PoolRef, options?: CallOptions): Promise<void> {
  const call = await azure.open(options);
  const set = await requireSet(call, pool);
  const attached = await findAttached(call, poolScaleSet(pool), set.id);
  if (!attached) return;
  if (attached.name.toLowerCase() !== standbyName(set).toLowerCase())
    throw new Refused(
      `standby pool ${attached.name} of scale set ${set.name} was not made by headstart, so it stays`,
      'standby/attached',
      undefined,
      `delete it yourself: az resource delete --ids ${attached.id}`,
    );
  await deleteStandbyPool(call, attached.id);
}

/** Azure itself names only the first that is missing. */
async function requireRights(call: AzureCall, pool: PoolRef): Promise<void> {
  const group = groupPath(poolScaleSet(pool));
  const permissions = await readPermissions(call, group);
  const missing = permissions ? missingActions(permissions, STANDBY_ACTIONS) : [];
  if (missing.length === 0) return;
  throw new Forbidden(
    `the login lacks rights that standby pools need on ${group}: ${missing.join(', ')}`,
    undefined,
    "assign a role that has them, for example the one in docs/azure-standby-role.json: az role assignment create --assignee IDENTITY --role 'headstart standby' --scope SCOPE",
  );
}

function throwRefusals(refusals: readonly StandbyRefusal[]): void {
  const [first, ...others] = refusals;
  if (!first) return;
  const reasons = refusals.map(({ reason }) => reason).join('; ');
  const next = [first, ...others].map((one) => one.next).join('; ');
  throw new Refused(reasons, first.code, undefined, next);
}
