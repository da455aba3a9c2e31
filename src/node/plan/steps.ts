// node/plan/steps.ts: in which order are changes applied? Files before the units that read them, modules before their kernel settings,
// containerd before kubelet. Each unit restarts at most once, and only if it runs.
import { CONTAINERD, KUBELET } from '../desired/aspects/aspect.ts';
import type { DisruptionClass, FileEffect, LiveKind, ObservedState, PlanStep } from '../desired/tree.ts';
import { rank } from './disruption.ts';
import type { FileChange } from './files.ts';
import type { FolderPlan } from './folders.ts';
import type { LiveChange } from './live.ts';
import type { UnitOutlook } from './units.ts';

export interface PlannedWork {
  files: readonly FileChange[];
  folders: FolderPlan;
  live: readonly LiveChange[];
  units: UnitOutlook;
  /** Paths of state files to delete. */
  stale: readonly string[];
  /** The highest class, without class C. */
  class: DisruptionClass;
}

export function orderSteps(work: PlannedWork, observed: ObservedState): PlanStep[] {
  const effects = work.files.flatMap((file) => file.effects);
  const isInService = observed.kubeletPhase === 'running';
  const isDrained = isInService && rank(work.class) >= 4;
  const isRebooted = work.class === 6;
  const live = (kind: LiveKind, ...values: (string | undefined)[]) => liveSteps(work.live, kind, values);
  const restarts = isRebooted ? [] : restartsOf(work, effects, observed);
  const reloads = isRebooted ? [] : reloadsOf(work, effects, observed).filter((unit) => !restarts.includes(unit));
  const isKubeletStopped = work.stale.length > 0 && isActive(KUBELET, observed);
  return [
    ...when(isDrained, { do: 'drain' }),
    // Stop units while their unit files still exist.
    ...live('unit-active', 'no'),
    ...orphansOf(work).map((unit): PlanStep => ({ do: 'stop-unit', unit })),
    ...live('unit-enabled').filter((step) => !existsAfterPlan(step, work)),
    ...when(isKubeletStopped, { do: 'stop-unit', unit: KUBELET }),

    ...work.folders.make,
    ...work.files.map((file) => file.step),
    ...work.folders.remove,
    ...live('module'),
    ...live('sysctl'),
    ...live('host-name'),
    ...live('mtu'),
    ...tmpfiles(work, effects),
    ...when(has(effects, 'daemon-reload'), { do: 'daemon-reload' }),
    ...live('unit-enabled', 'no').filter((step) => existsAfterPlan(step, work)),
    ...enabled(
      work,
      live('unit-enabled', 'yes').filter((step) => existsAfterPlan(step, work)),
    ),
    ...live('swap'),
    ...live('firewall'),
    ...when(has(effects, 'update-trust'), { do: 'update-trust' }),
    ...live('kubeconfig'),

    ...reloads.map((unit): PlanStep => ({ do: 'reload-unit', unit })),
    ...restarts.filter((unit) => unit !== KUBELET).map((unit): PlanStep => ({ do: 'restart-unit', unit })),
    ...live('unit-active', 'yes'),
    ...work.stale.map((path): PlanStep => ({ do: 'remove-state', path })),
    ...when(isKubeletStopped && !isRebooted, { do: 'start-unit', unit: KUBELET }),
    ...when(!isKubeletStopped && restarts.includes(KUBELET), { do: 'restart-unit', unit: KUBELET }),
    ...live('label'),
    ...when(isRebooted, { do: 'reboot' }),
    ...when(isDrained, { do: 'uncordon' }),
  ];
}

function when(isNeeded: boolean, step: PlanStep): PlanStep[] {
  return isNeeded ? [step] : [];
}

function has(effects: readonly FileEffect[], what: FileEffect['do']): boolean {
  return effects.some((effect) => effect.do === what);
}

/** Without `values`: all of that kind. Clears come before sets. */
function liveSteps(
  changes: readonly LiveChange[],
  kind: LiveKind,
  values: readonly (string | undefined)[],
): PlanStep[] {
  const steps = changes.flatMap((change) => (change.kind === kind && change.step ? [change.step] : []));
  const wanted = steps.filter(
    (step) => values.length === 0 || values.includes(step.do === 'set' ? step.value : undefined),
  );
  return [...wanted.filter((step) => step.do === 'clear'), ...wanted.filter((step) => step.do === 'set')];
}

/** Only for files that are written, not for removed ones. */
function tmpfiles({ files }: PlannedWork, effects: readonly FileEffect[]): PlanStep[] {
  const written = new Set(files.flatMap(({ step }) => (step.do === 'write-file' ? [step.path] : [])));
  return effects.flatMap((effect): PlanStep[] =>
    effect.do === 'apply-tmpfiles' && written.has(effect.path) ? [{ do: 'apply-tmpfiles', path: effect.path }] : [],
  );
}

function isActive(unit: string, observed: ObservedState): boolean {
  return observed.units.get(unit)?.isActive === true;
}

/** Running units that keep running and read a changed file. containerd and kubelet come last. */
function restartsOf(work: PlannedWork, effects: readonly FileEffect[], observed: ObservedState): string[] {
  const wanted = effects.flatMap((effect) => (effect.do === 'restart' ? [effect.unit] : []));
  if (work.live.some((change) => change.kind === 'kubeconfig')) wanted.push(KUBELET);
  const order = (unit: string) => [CONTAINERD, KUBELET].indexOf(unit);
  return keptRunning(wanted, work, observed).sort((a, b) => order(a) - order(b) || (a < b ? -1 : 1));
}

function reloadsOf(work: PlannedWork, effects: readonly FileEffect[], observed: ObservedState): string[] {
  const wanted = effects.flatMap((effect) => (effect.do === 'reload' ? [effect.unit] : []));
  return keptRunning(wanted, work, observed).sort();
}

/** Without units that the plan stops, masks or removes. */
function keptRunning(names: readonly string[], { live, units }: PlannedWork, observed: ObservedState): string[] {
  const stopped = stoppedUnits(live);
  return [...new Set(names)].filter(
    (unit) => isActive(unit, observed) && units.exists(unit) && !stopped.includes(unit),
  );
}

function orphansOf({ live, units }: PlannedWork): string[] {
  const stopped = stoppedUnits(live);
  return units.orphans.filter((unit) => !stopped.includes(unit));
}

/** A unit that the plan removes or masks is enabled or disabled before that; other units after the files are written, when a mask is gone. */
function existsAfterPlan(step: PlanStep, { units }: PlannedWork): boolean {
  return step.do === 'set' && units.exists(step.key);
}

/** Also enables units again whose file was written. */
function enabled({ files }: PlannedWork, steps: readonly PlanStep[]): PlanStep[] {
  const isAmong = (unit: string) => steps.some((step) => step.do === 'set' && step.key === unit);
  const again = files.flatMap(({ step, effects }) =>
    step.do === 'write-file' ? effects.flatMap((effect) => (effect.do === 'enable' ? [effect.unit] : [])) : [],
  );
  const added = [...new Set(again)].filter((unit) => !isAmong(unit));
  return [...steps, ...added.map((key): PlanStep => ({ do: 'set', kind: 'unit-enabled', key, value: 'yes' }))];
}

function stoppedUnits(live: readonly LiveChange[]): string[] {
  return valuesSet(live, 'unit-active', 'no');
}

function valuesSet(live: readonly LiveChange[], kind: LiveKind, value: string): string[] {
  return live.flatMap(({ step }) =>
    step?.do === 'set' && step.kind === kind && step.value === value ? [step.key] : [],
  );
}
