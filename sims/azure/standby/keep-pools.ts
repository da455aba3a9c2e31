// sims/azure/standby/keep-pools.ts: what does each standby pool do next? It makes missing VMs, parks new ones, and deletes those it has too many of.
import { addInstances } from '../compute/births.ts';
import { ArmError } from '../service/arm-error.ts';
import { stringAt } from '../service/json.ts';
import { isBusy } from '../service/operations.ts';
import {
  keyOf,
  type OperationEffect,
  type ParkedPower,
  type Power,
  type SimScaleSet,
  type SimStandbyPool,
  type SimWorld,
  uuid,
} from '../world.ts';
import { membersOf, type WaitingVm } from './members.ts';
import { sizeOf, wantedCounts } from './size.ts';

/** Begins what is due; called after everything that may have changed a pool or its set. Without a change it does nothing. */
export function keepStandbyPools(world: SimWorld, nowMs: number): void {
  for (const pool of Object.values(world.standbyPools)) {
    const set = world.scaleSets[keyOf(pool.scaleSetId)];
    if (pool.state !== 'Deleting') keepPool(world, pool, set?.state === 'Deleting' ? undefined : set, nowMs);
  }
}

function keepPool(world: SimWorld, pool: SimStandbyPool, set: SimScaleSet | undefined, nowMs: number): void {
  const members = membersOf(world, pool).filter(({ state }) => state !== 'Deleting');
  const size = set ? sizeOf(pool, set) : 0;
  for (const surplus of members.slice(size)) remove(world, surplus, nowMs);
  const kept = members.slice(0, size);
  assignStates(kept, pool, size);
  for (const member of kept) moveOn(world, member, nowMs);
  if (set && kept.length < size && nowMs >= pool.degradedUntilMs) makeMembers(world, pool, set, nowMs);
}

/** The pool makes no VMs for a while, and then tries again. */
export function degrade(world: SimWorld, pool: SimStandbyPool, nowMs: number): void {
  pool.degradedUntilMs = nowMs + world.timing.standbyPauseMs;
  schedule(world, pool, nowMs, world.timing.standbyPauseMs, { kind: 'standby-resumes' });
}

function makeMembers(world: SimWorld, pool: SimStandbyPool, set: SimScaleSet, nowMs: number): void {
  const kept = membersOf(world, pool).filter(({ state }) => state !== 'Deleting');
  const missing = sizeOf(pool, set) - kept.length;
  const free = freeStates(kept, pool, kept.length + missing);
  const zones = zonesOf(set);
  const { createInstanceMs, standbyGapMs } = world.timing;
  try {
    for (const [i, instance] of addInstances(world, set, missing, nowMs).entries()) {
      // One after another: all are being created at once, and end in turn.
      const tookMs = createInstanceMs + i * standbyGapMs;
      instance.standby = {
        poolId: pool.id,
        isIn: true,
        wanted: free[i] ?? 'running',
        readyMs: nowMs + tookMs + delayMs(pool) / world.speed,
        zone: zones[(kept.length + i) % zones.length] ?? null,
      };
      schedule(world, instance, nowMs, tookMs, { kind: 'standby-moved', id: instance.id, to: 'running' });
    }
  } catch (error) {
    if (!(error instanceof ArmError)) throw error;
    degrade(world, pool, nowMs); // the image is gone: a scale-out would fail as well
  }
}

/** Members keep their state if it is still wanted. */
function assignStates(members: readonly WaitingVm[], pool: SimStandbyPool, size: number): void {
  const free = wantedCounts(pool, size);
  const surplus = members.filter(({ standby }) => --free[standby.wanted] < 0);
  for (const member of surplus) free[member.standby.wanted] += 1;
  const states = listed(free);
  for (const [i, member] of surplus.entries()) member.standby.wanted = states[i] ?? member.standby.wanted;
}

function freeStates(members: readonly WaitingVm[], pool: SimStandbyPool, size: number): ParkedPower[] {
  const free = wantedCounts(pool, size);
  for (const { standby } of members) free[standby.wanted] -= 1;
  return listed(free);
}

function listed(counts: Readonly<Record<ParkedPower, number>>): ParkedPower[] {
  const states = Object.entries(counts) as [ParkedPower, number][];
  return states.flatMap(([power, count]) => Array<ParkedPower>(Math.max(0, count)).fill(power));
}

/** Documented: from deallocated to hibernated only through running. */
function moveOn(world: SimWorld, member: WaitingVm, nowMs: number): void {
  const { power, state, standby } = member;
  if (power === standby.wanted || state !== 'Succeeded' || isBusy(world, member.id)) return;
  const isThroughRunning = power === 'deallocated' && standby.wanted === 'hibernated';
  const to = isThroughRunning ? 'running' : standby.wanted;
  const { startMs, resumeMs, hibernateMs, deallocateMs } = world.timing;
  const [onTheWay, tookMs]: [Power, number] =
    to === 'running'
      ? ['starting', power === 'hibernated' ? resumeMs : startMs]
      : to === 'hibernated'
        ? ['hibernating', hibernateMs]
        : ['deallocating', deallocateMs];
  member.power = onTheWay;
  member.state = 'Updating';
  schedule(world, member, nowMs, tookMs, { kind: 'standby-moved', id: member.id, to });
}

function remove(world: SimWorld, member: WaitingVm, nowMs: number): void {
  if (isBusy(world, member.id) && member.state !== 'Creating') return; // again when that has ended
  member.state = 'Deleting';
  schedule(world, member, nowMs, world.timing.deleteInstanceMs, { kind: 'delete-instances', ids: [member.id] });
}

/** An operation that no client began, so that no client has its URL. */
function schedule(
  world: SimWorld,
  on: { id: string; location: string },
  nowMs: number,
  tookMs: number,
  effect: OperationEffect,
): void {
  const id = uuid(world);
  world.operations[id] = {
    ...{ id, kind: 'operations', location: on.location, apiVersion: '', startedMs: nowMs, endsMs: nowMs + tookMs },
    ...{ status: 'InProgress', fate: 'as-asked', effect, on: on.id, notBeforeMs: nowMs },
  };
}

function zonesOf({ top }: SimScaleSet): number[] {
  return Array.isArray(top.zones) ? top.zones.map(Number) : [];
}

/** The specification's example is `PT2S`. */
function delayMs({ properties }: SimStandbyPool): number {
  const text = stringAt(properties, 'elasticityProfile', 'postProvisioningDelay') ?? '';
  const [, hours = 0, minutes = 0, seconds = 0] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(text) ?? [];
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}
