// node/apply/way-back.ts: what has to be done so that the node is again what it was? The later generation is looked at as drift
// from the earlier one, and repaired: what would take another node on the way there does not on the way back. Pure.
import { DEFAULT_KUBELET_ROOT } from '../desired/aspects/kubelet.ts';
import { unitPath } from '../desired/aspects/units.ts';
import type { Desired, Observed, Ownership, Plan, Step } from '../desired/tree.ts';
import type { UpdatePolicy } from '../document/config.ts';

/** Where there is no earlier generation: the image as it was. */
export const NOTHING_WANTED: Desired = {
  files: new Map(),
  live: new Map(),
  kubeletRoot: DEFAULT_KUBELET_ROOT,
  problems: [],
};

/** What a node may do to itself is not asked on the way back. */
export const BACK_POLICY: UpdatePolicy = {
  mode: 'auto',
  tryForMs: 0,
  maxClass: 6,
  jitterMs: 0,
  maxUnavailable: 1,
  onDrift: 'repair',
  pollMs: 0,
  health: { requireNodeReady: false, readyWithinMs: 0, maxRestarts: 0, restartsWithinMs: 0, commitAfterMs: 0 },
};

/** Everything that may be ours by now; of what was ours before, what we left there then. */
export function asDriftFrom(before: Ownership, meanwhile: Ownership): Ownership {
  return {
    files: new Map([...meanwhile.files, ...before.files]),
    folders: new Set([...meanwhile.folders, ...before.folders]),
    live: new Map([...meanwhile.live, ...before.live]),
  };
}

/** Where nobody would end the pods, or can be told to, waiting for that keeps the node as it is: going back is what helps them. */
export function withoutDrain(plan: Plan): Plan {
  return { ...plan, steps: plan.steps.filter((step) => step.do !== 'drain') };
}

/** A plan leaves alone what does not run; here, what ran before the change and was brought down by it runs again. */
export function withRevived(plan: Plan, observed: Observed, ranBefore: readonly string[]): Step[] {
  const handled = new Set(
    plan.steps.flatMap((step) => {
      if ('unit' in step) return [step.unit];
      return step.do === 'set' && step.kind === 'unit-active' ? [step.key] : [];
    }),
  );
  const comes = new Set(plan.steps.flatMap((step) => (step.do === 'write-file' ? [step.path] : [])));
  const willBe = (unit: string) => observed.units.has(unit) || comes.has(unitPath(unit));
  const down = ranBefore.filter((unit) => !observed.units.get(unit)?.isActive && willBe(unit) && !handled.has(unit));
  const revived = down.map((unit): Step => ({ do: 'restart-unit', unit }));
  const last = plan.steps.findIndex(({ do: what }) => what === 'reboot' || what === 'uncordon');
  const at = last < 0 ? plan.steps.length : last;
  return [...plan.steps.slice(0, at), ...revived, ...plan.steps.slice(at)];
}
