// sims/azure/standby/pools.ts: standby pools as a client reads, makes, changes and deletes them.
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import { type JsonObject, mergeObjects, objectAt, stringAt } from '../service/json.ts';
import { asyncHeader, begin, locationHeader } from '../service/operations.ts';
import { page } from '../service/pages.ts';
import { tagsOf } from '../service/tags.ts';
import { groupId, keyOf, type SimStandbyPool, type SimWorld, uuid } from '../world.ts';
import { degrade } from './keep-pools.ts';
import { poolId, requirePool } from './lookup.ts';
import { requireAllowedPool } from './rules.ts';

export function getStandbyPool(world: SimWorld, call: ArmCall): ArmAnswer {
  return answered(requirePool(world, call));
}

export function listStandbyPools(world: SimWorld, call: ArmCall): ArmAnswer {
  const prefix = call.params.group === undefined ? '/' : `${keyOf(groupId(world, call.params.group))}/`;
  const pools = Object.values(world.standbyPools).filter(({ id }) => keyOf(id).startsWith(prefix));
  return page(call, pools.map(poolBody));
}

/** Recorded: 200 at once with the state `Succeeded` and no operation, before the first VM exists. */
export function putStandbyPool(world: SimWorld, call: ArmCall): ArmAnswer {
  const id = poolId(world, call);
  const before = world.standbyPools[keyOf(id)];
  const properties = structuredClone(objectAt(call.body, 'properties') ?? {});
  delete properties.provisioningState;
  const pool: SimStandbyPool = {
    id,
    name: call.params.pool ?? '',
    location: stringAt(call.body, 'location') ?? '',
    tags: tagsOf(call.body),
    createdMs: before?.createdMs ?? call.nowMs,
    modifiedMs: call.nowMs,
    scaleSetId: stringAt(properties, 'attachedVirtualMachineScaleSetId') ?? '',
    etag: uuid(world),
    properties,
    state: 'Succeeded',
    degradedUntilMs: before?.degradedUntilMs ?? 0,
  };
  return stored(world, call, pool, before);
}

export function patchStandbyPool(world: SimWorld, call: ArmCall): ArmAnswer {
  const before = requirePool(world, call);
  const properties = mergeObjects(before.properties, objectAt(call.body, 'properties') ?? {});
  delete properties.provisioningState;
  const pool: SimStandbyPool = {
    ...before,
    properties,
    scaleSetId: stringAt(properties, 'attachedVirtualMachineScaleSetId') ?? '',
    tags: call.body.tags === undefined ? before.tags : tagsOf(call.body),
    modifiedMs: call.nowMs,
    etag: uuid(world),
  };
  return stored(world, call, pool, before);
}

function stored(world: SimWorld, call: ArmCall, pool: SimStandbyPool, before: SimStandbyPool | undefined): ArmAnswer {
  requireAllowedPool(world, call, pool, before);
  world.standbyPools[keyOf(pool.id)] = pool;
  if (call.fate === 'standby-degraded') degrade(world, pool, call.nowMs);
  return answered(pool);
}

/** Its VMs are deleted with it. */
export function deleteStandbyPool(world: SimWorld, call: ArmCall): ArmAnswer {
  const pool = world.standbyPools[keyOf(poolId(world, call))];
  if (!pool) return { status: 204 };
  pool.state = 'Deleting';
  const operation = begin(world, call, {
    kind: 'operationStatuses',
    location: pool.location,
    on: pool.id,
    tookMs: world.timing.deleteStandbyPoolMs,
    effect: { kind: 'delete-standby-pool', id: pool.id },
  });
  return {
    status: 202,
    headers: {
      ...asyncHeader(world, call, operation),
      ...locationHeader(world, call, operation),
      etag: `"${pool.etag}"`,
    },
    body: null,
  };
}

/** GET /providers/Microsoft.StandbyPool/operations: what the provider can do, for role definitions. */
export function listStandbyOperations(): ArmAnswer {
  const type = 'Microsoft.StandbyPool/standbyVirtualMachinePools';
  const names = [
    ...['read', 'write', 'delete'].map((verb) => `${type}/${verb}`),
    ...['runtimeViews', 'standbyVirtualMachines'].map((child) => `${type}/${child}/read`),
  ];
  const value = names.map((name) => ({
    name,
    isDataAction: false,
    display: {
      provider: 'Microsoft.StandbyPool',
      resource: name.split('/').slice(1, -1).join('/'),
      operation: name.split('/').at(-1) ?? '',
      description: name,
    },
  }));
  return { status: 200, body: { value } };
}

function answered(pool: SimStandbyPool): ArmAnswer {
  return { status: 200, headers: { etag: `"${pool.etag}"` }, body: poolBody(pool) };
}

/** Recorded: the type in lower case, and the author. */
function poolBody({ id, name, location, tags, createdMs, modifiedMs, properties, state }: SimStandbyPool): JsonObject {
  const author = { createdBy: 'headstart@simulated.example', createdByType: 'User' };
  return {
    id,
    name,
    type: 'microsoft.standbypool/standbyvirtualmachinepools',
    location,
    tags,
    systemData: {
      ...author,
      createdAt: new Date(createdMs).toISOString(),
      lastModifiedBy: author.createdBy,
      lastModifiedByType: author.createdByType,
      lastModifiedAt: new Date(modifiedMs).toISOString(),
    },
    properties: { ...properties, provisioningState: state },
  };
}
