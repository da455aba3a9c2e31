// boot/questions/chain-held-back.ts: which one thing held this link of the chain back?
import { KUBELET_UNIT } from '../model/known-units.ts';
import { type BootRecord, hasStarted, startTookUs, type Unit } from '../model/record.ts';
import { type ChainPoints, isJoinSpan, lastEnded, milestoneId, type Point, unitPoint } from './chain-points.ts';
import { startedByCloudInit, startedByTask, taskBefore } from './chain-started-by.ts';
import { beforeOnWayToReady, kubeletBefore } from './chain-to-ready.ts';

/** A unit that systemd had queued starts sooner than this after the last thing it waited for; one that starts later was asked for later. */
const QUEUED_US = 1_000_000;

export function heldBackBy(points: ChainPoints, point: Point): Point | undefined {
  if (point.id === milestoneId('startup-finished')) return lastUnitPoint(points, point.startUs);
  if (isJoinSpan(point)) return beforeOnWayToReady(points, point);
  if (point.source === 'extension') return beforeTask(points, point);
  if (point.source === 'cloud-init') return lastEnded(points.stages, point);
  return beforeUnit(points, point);
}

/** Startup is finished when its last job is, so it ends with the unit that was up last by then. */
export function lastUnitBy(record: BootRecord, atUs = Number.POSITIVE_INFINITY): Unit | undefined {
  let last: { unit: Unit; upUs: number } | undefined;
  for (const unit of record.units) {
    const upUs = unit.activatingUs + startTookUs(unit);
    if (hasStarted(unit) && upUs <= atUs && upUs > (last?.upUs ?? 0)) last = { unit, upUs };
  }
  return last?.unit;
}

function lastUnitPoint(points: ChainPoints, atUs: number): Point | undefined {
  const unit = lastUnitBy(points.record, atUs);
  return unit && unitPoint(points, unit.name);
}

function beforeTask(points: ChainPoints, point: Point): Point | undefined {
  const kubelet = point.wait === undefined ? undefined : kubeletBefore(points, point);
  return kubelet ?? taskBefore(points, point);
}

/** Its ordering, unless a script or an extension started it after that. */
function beforeUnit(points: ChainPoints, point: Point): Point | undefined {
  const ordered = orderedAfter(points, point);
  const task = point.name === KUBELET_UNIT ? startedByTask(points, point) : undefined;
  if (task && task.startUs >= (ordered?.endUs ?? 0)) return task;
  const isQueued = ordered !== undefined && point.startUs - ordered.endUs < QUEUED_US;
  return (isQueued ? undefined : startedByCloudInit(points, point)) ?? ordered;
}

/** The latest After= neighbour that was up before this one began: one that came up later did not hold it back. */
function orderedAfter(points: ChainPoints, point: Point): Point | undefined {
  let latest: Point | undefined;
  for (const name of points.units.get(point.name)?.after ?? []) {
    const dependency = unitPoint(points, name);
    if (!dependency || dependency.id === point.id || dependency.endUs > point.startUs) continue;
    if (!latest || dependency.endUs > latest.endUs) latest = dependency;
  }
  return latest;
}
