// boot/questions/chain-started-by.ts: which script, extension or agent started a unit, if unit ordering does not explain its start?
import { GUEST_AGENT_UNITS } from '../model/known-units.ts';
import type { Span } from '../model/record.ts';
import { type ChainPoints, lastEnded, type Point, unitPoint } from './chain-points.ts';

/** The innermost task of an agent or extension that was running when the point began. On many clouds, such a task starts kubelet. */
export function startedByTask({ agentTasks }: ChainPoints, point: Point): Point | undefined {
  let innermost: Span | undefined;
  for (const span of agentTasks) {
    if (span.id === point.id || span.wait !== undefined) continue;
    if (isRunningAt(span, point.startUs) && (!innermost || span.startUs >= innermost.startUs)) innermost = span;
  }
  return innermost && { ...innermost, endUs: Math.min(innermost.endUs, point.startUs) };
}

/** The cloud-init unit that was running a user script or package installation when the point began. */
export function startedByCloudInit(points: ChainPoints, point: Point): Point | undefined {
  const module = points.startingModules.find((span) => isRunningAt(span, point.startUs));
  const starter = module?.unit === undefined ? undefined : unitPoint(points, module.unit);
  return starter && { ...starter, endUs: point.startUs };
}

/** A script runs its tasks in sequence: returns the previous task, or the containing task if that began later. */
export function taskBefore(points: ChainPoints, point: Point): Point | undefined {
  const agent = guestAgent(points);
  const previous = lastEnded(points.agentTasks, point, agent?.endUs);
  const around = startedByTask(points, point);
  if (around && around.startUs >= (previous?.endUs ?? 0)) return around;
  return previous ?? agent ?? lastEnded(points.stages, point);
}

function guestAgent(points: ChainPoints): Point | undefined {
  for (const name of GUEST_AGENT_UNITS) {
    const point = unitPoint(points, name);
    if (point) return point;
  }
  return undefined;
}

function isRunningAt(span: Span, atUs: number): boolean {
  return span.startUs <= atUs && atUs <= span.endUs;
}
