// boot/questions/chain-held-back.ts: what did this link of the chain wait for?
import { KUBELET_UNIT } from '../model/known-units.ts';
import { stopName, waitedForStop } from '../model/order-graph.ts';
import { type BootRecord, isPlaced, startTookUs, type Unit } from '../model/record.ts';
import { type ChainPoints, isJoinSpan, lastEnded, milestoneId, type Point, unitPoint } from './chain-points.ts';
import { startedByCloudInit, startedByTask, taskBefore } from './chain-started-by.ts';
import { beforeOnWayToReady, kubeletBefore } from './chain-to-ready.ts';

/** A queued unit starts within this time after its last dependency. A unit that starts later was requested later. */
const QUEUED_US = 1_000_000;

export function heldBackBy(points: ChainPoints, point: Point): Point | undefined {
  if (point.id.startsWith(STOP)) return stoppedUnit(points, point);
  if (point.id === milestoneId('startup-finished')) return lastUnitPoint(points, point.startUs);
  if (isJoinSpan(point)) return beforeOnWayToReady(points, point);
  if (point.source === 'extension') return beforeTask(points, point);
  if (point.source === 'cloud-init') return lastEnded(points.stages, point);
  return beforeUnit(points, point);
}

/** Startup finishes with its last job, so the last unit that became active by then determines the end. */
export function lastUnitBy(record: BootRecord, atUs = Number.POSITIVE_INFINITY): Unit | undefined {
  let last: { unit: Unit; upUs: number } | undefined;
  for (const unit of record.units) {
    const upUs = unit.activatingUs + startTookUs(unit);
    if (isPlaced(unit) && upUs <= atUs && upUs > (last?.upUs ?? 0)) last = { unit, upUs };
  }
  return last?.unit;
}

/** A job that failed is over too. */
function lastUnitPoint(points: ChainPoints, atUs: number): Point | undefined {
  const unit = lastUnitBy(points.record, atUs);
  let last = unit && unitPoint(points, unit.name);
  for (const job of points.failedJobs.values()) {
    if (job.endUs <= atUs && job.endUs > (last?.endUs ?? 0)) last = job;
  }
  return last;
}

function beforeTask(points: ChainPoints, point: Point): Point | undefined {
  const kubelet = point.wait === undefined ? undefined : kubeletBefore(points, point);
  return kubelet ?? taskBefore(points, point);
}

/** The last ordering dependency, unless a timer, a socket, a device, a script or an extension started the unit after that. */
function beforeUnit(points: ChainPoints, point: Point): Point | undefined {
  const ordered = orderedAfter(points, point);
  const task = point.name === KUBELET_UNIT ? startedByTask(points, point) : undefined;
  if (task && task.startUs >= (ordered?.endUs ?? 0)) return task;
  const isQueued = ordered !== undefined && point.startUs - ordered.endUs < QUEUED_US;
  const trigger = triggerBefore(points, point);
  if (trigger && (!isQueued || trigger.endUs > ordered.endUs)) return trigger;
  return (isQueued ? undefined : startedByCloudInit(points, point)) ?? ordered;
}

function triggerBefore(points: ChainPoints, { startedBy, startUs }: Point): Point | undefined {
  const trigger = startedBy === undefined ? undefined : unitPoint(points, startedBy);
  return trigger && trigger.endUs <= startUs ? trigger : undefined;
}

const STOP = 'stop:';

/** The stop of a conflicting unit that the unit had to wait for. */
function stopBefore({ units }: ChainPoints, unit: Unit): Point | undefined {
  let latest: Unit | undefined;
  const conflicting = unit.after.filter((name) => units.get(name)?.conflicts?.includes(unit.name));
  for (const name of [...(unit.conflicts ?? []), ...conflicting]) {
    const other = units.get(name);
    if (!other || other === unit || !waitedForStop(unit, other)) continue;
    if (!latest || other.deactivatedUs > latest.deactivatedUs) latest = other;
  }
  if (!latest) return undefined;
  const { name, deactivatingUs, deactivatedUs } = latest;
  return {
    id: `${STOP}${name}`,
    name: stopName(name),
    source: 'systemd',
    startUs: deactivatingUs,
    endUs: deactivatedUs,
  };
}

function stoppedUnit(points: ChainPoints, stop: Point): Point | undefined {
  const unit = unitPoint(points, stop.id.slice(STOP.length));
  return unit && unit.endUs <= stop.startUs ? unit : undefined;
}

/**
 * The last After= dependency that was active, or whose job had failed, before the unit began. One that became active later did not
 * delay it.
 */
function orderedAfter(points: ChainPoints, point: Point): Point | undefined {
  const job = points.spans.get(point.id);
  const unit = points.units.get((point.source === 'systemd' ? job?.unit : undefined) ?? point.name);
  let latest = unit && stopBefore(points, unit);
  if (latest && latest.endUs > point.startUs) latest = undefined; // the point may be an earlier start than the recorded one
  for (const name of unit?.after ?? []) {
    const dependency = unitPoint(points, name) ?? points.failedJobs.get(name);
    if (!dependency || dependency.id === point.id || dependency.endUs > point.startUs) continue;
    if (!latest || dependency.endUs > latest.endUs) latest = dependency;
  }
  return latest;
}
