// sims/azure/standby/take.ts: which VMs of its standby pool does a growing scale set get, and how long does their move take?
import type { SimInstance, SimScaleSet, SimWorld } from '../world.ts';
import { degrade } from './keep-pools.ts';
import { poolOf } from './lookup.ts';
import { isReady, membersOf, type WaitingVm } from './members.ts';

export interface TakenVm {
  instance: SimInstance;
  tookMs: number;
}

/** The order of a mix is not documented: what starts fastest goes first. */
const FASTEST_FIRST = ['running', 'hibernated', 'deallocated'] as const;

export function takeFromPool(world: SimWorld, set: SimScaleSet, count: number, nowMs: number): TakenVm[] {
  const pool = poolOf(world, set);
  if (!pool || pool.state === 'Deleting') return [];
  const ready = membersOf(world, pool).filter((member) => isReady(member, nowMs));
  const ordered = FASTEST_FIRST.flatMap((power) => ready.filter((member) => member.power === power));
  return ordered.slice(0, count).map((member) => take(world, member));
}

function take({ timing }: SimWorld, instance: WaitingVm): TakenVm {
  const { power } = instance;
  instance.standby.isIn = false;
  instance.state = 'Updating';
  if (power !== 'running') instance.power = 'starting';
  const startMs = { running: 0, hibernated: timing.resumeMs, deallocated: timing.startMs }[instance.standby.wanted];
  return { instance, tookMs: timing.standbyMoveMs + startMs };
}

/** The configured fault of a write to the scale set. */
export function degradePoolOf(world: SimWorld, set: SimScaleSet, nowMs: number): void {
  const pool = poolOf(world, set);
  if (pool) degrade(world, pool, nowMs);
}
