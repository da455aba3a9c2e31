// boot/questions/chain-to-ready.ts: what held the node back between the start of kubelet and Ready?

import { KUBELET_LOAD_SPAN } from '../model/joining-spans.ts';
import { KUBELET_UNIT } from '../model/known-units.ts';
import { type ChainPoints, lastEnded, milestoneId, milestonePoint, type Point, unitPoint } from './chain-points.ts';
import { taskBefore } from './chain-started-by.ts';

/** Two sources that tell of one start agree to this, whole seconds included. */
const RESTARTED_US = 2_000_000;

/** One link back from a point that kubelet or the cluster tells of, through what they say, to the start of kubelet. */
export function beforeOnWayToReady(points: ChainPoints, point: Point): Point | undefined {
  const start = kubeletStart(points);
  const from = start && start.startUs - point.startUs <= RESTARTED_US ? start : undefined;
  const told = lastEnded(points.joiningAndWaits, point, from && from.startUs - clockErrorUs(points));
  const registered = registeredBefore(points, point);
  if (registered && registered.endUs >= (told?.endUs ?? 0)) return registered;
  if (told) return told;
  if (from && from.id !== point.id) return from;
  return taskBefore(points, point) ?? startupBefore(points, point);
}

/** What a script waits for after it has started kubelet depends on kubelet. */
export function kubeletBefore(points: ChainPoints, point: Point): Point | undefined {
  const start = kubeletStart(points);
  return start && start.endUs <= point.startUs + clockErrorUs(points) ? start : undefined;
}

/** The first start of kubelet: the manager remembers only the last one, and a change in place restarts it. */
function kubeletStart(points: ChainPoints): Point | undefined {
  const unit = unitPoint(points, KUBELET_UNIT);
  const first = points.spans.get(KUBELET_LOAD_SPAN) ?? milestonePoint(points, 'kubelet-started');
  const isRestarted = unit && first && unit.startUs - first.startUs > RESTARTED_US;
  return isRestarted ? { ...unit, startUs: first.startUs, endUs: first.startUs } : (unit ?? first);
}

function registeredBefore(points: ChainPoints, point: Point): Point | undefined {
  if (point.id === milestoneId('node-registered')) return undefined;
  return milestoneBefore(points, 'node-registered', point);
}

/** Where no source tells of kubelet: the boot as a whole came before. */
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
