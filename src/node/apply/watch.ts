// node/apply/watch.ts: what must be checked after a change to know that it broke nothing? Pure.
import { CONTAINERD, KUBELET } from '../desired/aspects/aspect.ts';
import type { ObservedState, Plan, PlanStep } from '../desired/tree.ts';
import type { UpdatePolicy } from '../document/config.ts';
import { isTemplate } from '../observe/units.ts';
import type { NodeHealth, Watch } from './contract.ts';

export interface WatchContext {
  number: number;
  nowMs: number;
  bootId: string;
  /** Health of the Node before the change; undefined if it was not probed because kubelet had not started. */
  before: NodeHealth | undefined;
  backTo: number | undefined;
  /** `backTo` was verified. */
  isBackGood: boolean;
  update: Pick<UpdatePolicy, 'mode' | 'tryForMs'>;
}

export function watchFor(plan: Plan, observed: ObservedState, context: WatchContext): Watch {
  const { number, nowMs, bootId, before, backTo, isBackGood, update } = context;
  return {
    number,
    sinceMs: nowMs,
    bootId,
    units: unitsToWatch(plan.steps, observed),
    ranBefore: [...observed.units].filter(([, unit]) => unit.isActive).map(([name]) => name),
    wasApiReachable: before?.isReachable === true,
    ...(before === undefined && isBackGood && observed.hasCredential && { wasApiReachableEarlier: true }),
    wasNotReady: before?.isReachable === true && before.isReady === false,
    kubeletConfig: plan.kubeletConfig,
    ...(backTo !== undefined && { backTo }),
    ...(update.mode === 'try' && { keepByMs: nowMs + update.tryForMs }),
  };
}

/** The watch starts when the last step ends, in the boot in which it ends. */
export function startWatch(watch: Watch, { nowMs, bootId, kubeletSinceMs }: WatchStart): Watch {
  const keepByMs = watch.keepByMs === undefined ? undefined : nowMs + (watch.keepByMs - watch.sinceMs);
  return { ...watch, sinceMs: nowMs, kubeletSinceMs, bootId, keepByMs };
}

export interface WatchStart {
  nowMs: number;
  bootId: string;
  kubeletSinceMs: number | undefined;
}

/**
 * kubelet, containerd and the units that the change starts, restarts or reloads. On a node in service, kubelet and
 * containerd only if they ran before.
 */
function unitsToWatch(steps: readonly PlanStep[], { units, kubeletPhase }: ObservedState): string[] {
  const core = [KUBELET, CONTAINERD].filter((name) => {
    const unit = units.get(name);
    return unit !== undefined && !unit.isMasked && (kubeletPhase !== 'running' || unit.isActive);
  });
  const [touched, stopped] = [new Set(core), new Set<string>()];
  for (const step of steps) {
    if (step.do === 'restart-unit' || step.do === 'reload-unit' || step.do === 'start-unit') touched.add(step.unit);
    if (step.do === 'set' && step.kind === 'unit-active') (step.value === 'yes' ? touched : stopped).add(step.key);
    if (step.do === 'make-link') stopped.add(step.path.slice(step.path.lastIndexOf('/') + 1)); // masked
  }
  return [...touched].filter((name) => !stopped.has(name) && !isTemplate(name)).sort();
}
