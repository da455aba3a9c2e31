// sims/azure/standby/members.ts: which VMs wait in a standby pool, and which of them could move into the scale set now?
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import type { JsonObject } from '../service/json.ts';
import { page } from '../service/pages.ts';
import { keyOf, type SimInstance, type SimStandbyPool, type SimWorld, type StandbyMembership } from '../world.ts';
import { poolNotFound, requirePool } from './lookup.ts';

export type WaitingVm = SimInstance & { standby: StandbyMembership };

export function membersOf(world: SimWorld, pool: Pick<SimStandbyPool, 'id'>): WaitingVm[] {
  return Object.values(world.instances).filter(
    (instance): instance is WaitingVm =>
      instance.standby?.isIn === true && keyOf(instance.standby.poolId) === keyOf(pool.id),
  );
}

/** Documented: only VMs in exactly the wanted state are handed out. */
export function isReady({ state, power, standby }: WaitingVm, nowMs: number): boolean {
  return state === 'Succeeded' && power === standby.wanted && nowMs >= standby.readyMs;
}

export function listStandbyVms(world: SimWorld, call: ArmCall): ArmAnswer {
  const pool = requirePool(world, call);
  return page(
    call,
    membersOf(world, pool).map((member) => bodyOf(pool, member)),
  );
}

export function getStandbyVm(world: SimWorld, call: ArmCall): ArmAnswer {
  const pool = requirePool(world, call);
  const name = call.params.vm ?? '';
  const member = membersOf(world, pool).find((one) => keyOf(one.name) === keyOf(name));
  if (!member) throw poolNotFound(`${pool.name}/standbyVirtualMachines/${name}`, call.params.group);
  return { status: 200, body: bodyOf(pool, member) };
}

function bodyOf(pool: SimStandbyPool, { id, name, state }: WaitingVm): JsonObject {
  const isLeaving = state === 'Deleting' || pool.state === 'Deleting';
  return {
    id: `${pool.id}/standbyVirtualMachines/${name}`,
    name,
    type: 'Microsoft.StandbyPool/standbyVirtualMachinePools/standbyVirtualMachines',
    properties: { virtualMachineResourceId: id, provisioningState: isLeaving ? 'Deleting' : 'Succeeded' },
  };
}
