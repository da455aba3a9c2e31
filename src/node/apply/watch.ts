// node/apply/watch.ts: what is looked at after a change to know that it did no harm? Pure.
import { CONTAINERD, KUBELET } from '../desired/aspects/aspect.ts';
import type { ObservedState, Plan, PlanStep } from '../desired/tree.ts';
import type { UpdatePolicy } from '../document/config.ts';
import { isTemplate } from '../observe/units.ts';
import type { NodeHealth, Watch } from './contract.ts';

export interface WatchContext {
  number: number;
  nowMs: number;
  bootId: string;
  /** Of the Node before the change; undefined where nobody asked, for kubelet had not started. */
  before: NodeHealth | undefined;
  backTo: number | undefined;
  /** `backTo` was found good. */
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

/** Health is watched from when the last step was done, in the boot in which it was done. */
export function startWatch(watch: Watch, { nowMs, bootId, kubeletSinceMs }: WatchStart): Watch {
  const keepByMs = watch.keepByMs === undefined ? undefined : nowMs + (watch.keepByMs - watch.sinceMs);
  return { ...watch, sinceMs: nowMs, kubeletSinceMs, bootId, keepByMs };
}

export interface WatchStart {
  nowMs: number;
  bootId: string;
  kubeletSinceMs: number | undefined;
}

/** The two a node is made of, and what the change touches. One that did not run before, for no fault of the change, need not now. */
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
