// sims/azure/standby/runtime-view.ts: how many VMs of a standby pool are in which state, and is the pool healthy?
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import type { JsonObject } from '../service/json.ts';
import type { SimStandbyPool, SimWorld } from '../world.ts';
import { poolNotFound, requirePool } from './lookup.ts';
import { membersOf, type WaitingVm } from './members.ts';

/** In the recorded order. */
const STATES = [
  'Creating',
  'Starting',
  'Running',
  'Deallocating',
  'Deallocated',
  'Hibernating',
  'Hibernated',
  'Deleting',
] as const;

/** Every name but `latest` is unknown. */
export function getRuntimeView(world: SimWorld, call: ArmCall): ArmAnswer {
  const pool = requirePool(world, call);
  const name = call.params.view ?? '';
  if (name.toLowerCase() !== 'latest') throw poolNotFound(`${pool.name}/runtimeViews/${name}`, call.params.group);
  return { status: 200, body: viewBody(world, pool, call.nowMs) };
}

export function listRuntimeViews(world: SimWorld, call: ArmCall): ArmAnswer {
  return { status: 200, body: { value: [viewBody(world, requirePool(world, call), call.nowMs)] } };
}

function viewBody(world: SimWorld, pool: SimStandbyPool, nowMs: number): JsonObject {
  const isDegraded = nowMs < pool.degradedUntilMs;
  return {
    id: `${pool.id}/runtimeViews/latest`,
    name: 'latest',
    type: 'Microsoft.StandbyPool/standbyVirtualMachinePools/runtimeViews',
    properties: {
      instanceCountSummary: summaries(pool, membersOf(world, pool)),
      status: isDegraded
        ? { code: 'HealthState/degraded', message: 'The last virtual machines could not be created.' }
        : { code: 'HealthState/healthy' },
      provisioningState: pool.state,
    },
  };
}

/** One for each zone; one without a zone when the set has none. */
function summaries(pool: SimStandbyPool, members: readonly WaitingVm[]): JsonObject[] {
  const zones = [...new Set(members.map(({ standby }) => standby.zone))].sort();
  return (zones.length > 0 ? zones : [null]).map((zone) => {
    const counted = members.filter(({ standby }) => standby.zone === zone).map((member) => stateOf(pool, member));
    return {
      ...(zone !== null && { zone }),
      instanceCountsByState: STATES.map((state) => ({ state, count: counted.filter((one) => one === state).length })),
    };
  });
}

function stateOf(pool: SimStandbyPool, { state, power }: WaitingVm): (typeof STATES)[number] {
  if (pool.state === 'Deleting') return 'Deleting';
  if (state === 'Creating' || state === 'Deleting') return state;
  const name = power.charAt(0).toUpperCase() + power.slice(1);
  return STATES.find((one) => one === name) ?? 'Running';
}
