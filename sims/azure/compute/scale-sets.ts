// sims/azure/compute/scale-sets.ts: scale sets as a whole: read, list, change, scale, delete.
import { ArmError } from '../service/arm-error.ts';
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import type { JsonObject } from '../service/json.ts';
import {
  ALLOCATION_FAILED,
  acceptedWithoutBody,
  asyncHeader,
  begin,
  isBusy,
  takesEffect,
} from '../service/operations.ts';
import { page } from '../service/pages.ts';
import { degradePoolOf, takeFromPool } from '../standby/take.ts';
import { groupId, instancesOf, keyOf, type SimInstance, type SimScaleSet, type SimWorld, timestamp } from '../world.ts';
import { addInstances } from './births.ts';
import { capacityOf, requireCapacity } from './capacity.ts';
import { etagOf, requireAbsent, requireUnchanged } from './instances.ts';
import { requireScaleSet, scaleSetId } from './lookup.ts';
import { changedModel } from './model-change.ts';
import { chosenInstances } from './power.ts';
import { newScaleSet } from './scale-set-create.ts';

export function getScaleSet(world: SimWorld, call: ArmCall): ArmAnswer {
  const set = requireScaleSet(world, call);
  return { status: 200, headers: { etag: etagOf(set) }, body: scaleSetBody(set) };
}

export function listScaleSets(world: SimWorld, call: ArmCall): ArmAnswer {
  const prefix = call.params.group === undefined ? '/' : `${keyOf(groupId(world, call.params.group))}/`;
  const value = Object.values(world.scaleSets)
    .filter((set) => keyOf(set.id).startsWith(prefix))
    .map(scaleSetBody);
  return page(call, value);
}

export function putScaleSet(world: SimWorld, call: ArmCall): ArmAnswer {
  const id = scaleSetId(world, call);
  if (world.scaleSets[keyOf(id)]) {
    requireAbsent(call);
    return update(world, call, 'PUT');
  }
  requireUnchanged(call, undefined);
  const set = newScaleSet(world, call, id);
  requireCapacity(set);
  world.scaleSets[keyOf(id)] = set;
  return begun(world, call, set, set, 201, takesEffect(call.fate) ? capacityOf(set) : 0);
}

export function patchScaleSet(world: SimWorld, call: ArmCall): ArmAnswer {
  return update(world, call, 'PATCH');
}

function update(world: SimWorld, call: ArmCall, method: 'PUT' | 'PATCH'): ArmAnswer {
  const set = requireScaleSet(world, call);
  requireUnchanged(call, set);
  requireIdleSet(world, set);
  const next = changedModel(world, set, method, call.body);
  const growth = capacityOf(next) - instancesOf(world, set).length;
  // A fault that suppresses the operation still answers as if it had begun: the client has to read the result.
  const isApplied = takesEffect(call.fate);
  if (isApplied) world.scaleSets[keyOf(set.id)] = next;
  else set.etag += 1;
  (isApplied ? next : set).state = 'Updating';
  next.state = 'Updating';
  return begun(world, call, isApplied ? next : set, next, 200, isApplied ? growth : 0);
}

/** `stored` is the new state of the world, `shown` the answer. */
function begun(
  world: SimWorld,
  call: ArmCall,
  stored: SimScaleSet,
  shown: SimScaleSet,
  status: 200 | 201,
  growth: number,
): ArmAnswer {
  const taken = growth > 0 ? takeFromPool(world, stored, growth, call.nowMs) : [];
  const cold = growth > taken.length ? addInstances(world, stored, growth - taken.length, call.nowMs) : [];
  const born = [...taken, ...cold.map((instance) => ({ instance, tookMs: world.timing.createInstanceMs }))];
  if (call.fate === 'standby-degraded') degradePoolOf(world, stored, call.nowMs);
  const leaving = growth < 0 ? scaledIn(world, stored, -growth) : [];
  for (const instance of leaving) instance.state = 'Deleting';
  const { timing } = world;
  const otherwiseMs = leaving.length > 0 ? timing.deleteInstanceMs : timing.updateModelMs;
  const tookMs = born.length > 0 ? Math.max(...born.map((one) => one.tookMs)) : otherwiseMs;
  const operation = begin(world, call, {
    kind: 'operations',
    location: stored.location,
    on: stored.id,
    tookMs,
    effect: {
      kind: 'model-updated',
      id: stored.id,
      born: born.map(({ instance }) => instance.id),
      leaving: leaving.map(({ id }) => id),
    },
    ...(call.fate === 'allocation-failed' && born.length > 0 && { error: ALLOCATION_FAILED }),
  });
  const headers = { ...asyncHeader(world, call, operation), etag: etagOf(shown) };
  return { status, headers, body: scaleSetBody(shown) };
}

/** The instances to delete: the newest, never protected ones. */
function scaledIn(world: SimWorld, set: SimScaleSet, count: number): SimInstance[] {
  return instancesOf(world, set)
    .filter(
      ({ protection }) => protection?.protectFromScaleIn !== true && protection?.protectFromScaleSetActions !== true,
    )
    .slice(-count);
}

export function deleteScaleSet(world: SimWorld, call: ArmCall): ArmAnswer {
  const set = world.scaleSets[keyOf(scaleSetId(world, call))];
  if (!set) return { status: 204 };
  requireIdleSet(world, set);
  set.state = 'Deleting';
  const operation = begin(world, call, {
    kind: 'operations',
    location: set.location,
    on: set.id,
    tookMs: world.timing.deleteInstanceMs,
    effect: { kind: 'delete-scale-set', id: set.id },
  });
  return acceptedWithoutBody(world, call, operation);
}

/** POST …/delete: the instances named in the body. Protection does not stop an explicit deletion. */
export function deleteInstances(world: SimWorld, call: ArmCall): ArmAnswer {
  const set = requireScaleSet(world, call);
  requireIdleSet(world, set);
  const chosen = chosenInstances(world, call, set);
  for (const instance of chosen) instance.state = 'Deleting';
  const operation = begin(world, call, {
    kind: 'operations',
    location: set.location,
    on: set.id,
    tookMs: world.timing.deleteInstanceMs,
    effect: { kind: 'delete-instances', ids: chosen.map(({ id }) => id) },
  });
  return acceptedWithoutBody(world, call, operation);
}

/** POST …/manualupgrade: upgrades instances to the newest model. */
export function upgradeInstances(world: SimWorld, call: ArmCall): ArmAnswer {
  const set = requireScaleSet(world, call);
  requireIdleSet(world, set);
  const chosen = chosenInstances(world, call, set).filter((i) => i.protection?.protectFromScaleSetActions !== true);
  const operation = begin(world, call, {
    kind: 'operations',
    location: set.location,
    on: set.id,
    tookMs: world.timing.reimageMs,
    effect: { kind: 'upgrade-instances', ids: chosen.map(({ id }) => id) },
  });
  return acceptedWithoutBody(world, call, operation);
}

export function getScaleSetView(world: SimWorld, call: ArmCall): ArmAnswer {
  const set = requireScaleSet(world, call);
  const counts = new Map<string, number>();
  for (const { state } of instancesOf(world, set)) {
    const code = `ProvisioningState/${state.toLowerCase()}`;
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const word = set.state.toLowerCase();
  return {
    status: 200,
    body: {
      virtualMachine: { statusesSummary: [...counts].map(([code, count]) => ({ code, count })) },
      statuses: [
        {
          code: `ProvisioningState/${word}`,
          level: set.state === 'Failed' ? 'Error' : 'Info',
          displayStatus: `Provisioning ${word}`,
          time: timestamp(call.nowMs),
        },
      ],
    },
  };
}

/** One write to a scale set at a time. */
export function requireIdleSet(world: SimWorld, set: SimScaleSet): void {
  if (!isBusy(world, set.id)) return;
  throw new ArmError(
    409,
    'Conflict',
    `The request failed due to conflict with a concurrent request on scale set '${set.name}'. To resolve it, please refer to https://aka.ms/activitylog to get more details on the conflicting requests.`,
  );
}

export function scaleSetBody(set: SimScaleSet): JsonObject {
  return {
    name: set.name,
    id: set.id,
    type: 'Microsoft.Compute/virtualMachineScaleSets',
    location: set.location,
    tags: set.tags,
    ...set.top,
    etag: etagOf(set),
    properties: { ...set.properties, provisioningState: set.state },
  };
}
