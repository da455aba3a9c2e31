// boot/questions/chain-to-ready.ts: what did the node wait for between the start of kubelet and Ready?

import { KUBELET_LOAD_SPAN } from '../model/joining-spans.ts';
import { KUBELET_UNIT } from '../model/known-units.ts';
import { type ChainPoints, lastEnded, milestoneId, milestonePoint, type Point, unitPoint } from './chain-points.ts';
import { taskBefore } from './chain-started-by.ts';

/** Two sources differ by at most this for the same start, because some have whole seconds only. */
const RESTARTED_US = 2_000_000;

/** The link before a point that kubelet or the cluster reported, back to the start of kubelet. */
export function beforeOnWayToReady(points: ChainPoints, point: Point): Point | undefined {
  const start = kubeletStart(points);
  const from = start && start.startUs - point.startUs <= RESTARTED_US ? start : undefined;
  const reported = lastEnded(points.joiningAndWaits, point, from && from.startUs - clockErrorUs(points));
  const registered = registeredBefore(points, point);
  if (registered && registered.endUs >= (reported?.endUs ?? 0)) return registered;
  if (reported) return reported;
  if (from && from.id !== point.id) return from;
  return taskBefore(points, point) ?? startupBefore(points, point);
}

/** A script that waits after it started kubelet waits for kubelet. */
export function kubeletBefore(points: ChainPoints, point: Point): Point | undefined {
  const start = kubeletStart(points);
  return start && start.endUs <= point.startUs + clockErrorUs(points) ? start : undefined;
}

/** The first start of kubelet. systemd has only the last one, and a configuration change restarts kubelet. */
export function kubeletStart(points: ChainPoints): Point | undefined {
  const unit = unitPoint(points, KUBELET_UNIT);
  const first = points.spans.get(KUBELET_LOAD_SPAN) ?? milestonePoint(points, 'kubelet-started');
  const isRestarted = unit && first && unit.startUs - first.startUs > RESTARTED_US;
  return isRestarted ? { ...unit, startUs: first.startUs, endUs: first.startUs } : (unit ?? first);
}

function registeredBefore(points: ChainPoints, point: Point): Point | undefined {
  if (point.id === milestoneId('node-registered')) return undefined;
  return milestoneBefore(points, 'node-registered', point);
}

/** Used if no source reports kubelet. */
function startupBefore(points: ChainPoints, point: Point): Point | undefined {
  return milestoneBefore(points, 'startup-finished', point);
}

function milestoneBefore(points: ChainPoints, name: string, point: Point): Point | undefined {
  const milestone = milestonePoint(points, name);
  return milestone && milestone.endUs <= point.startUs ? milestone : undefined;
}

function clockErrorUs({ record }: ChainPoints): number {
  return record.clock.errorUs ?? 0;
}
