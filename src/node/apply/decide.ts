// node/apply/decide.ts: what happens to a document that is assigned to this node? The node refuses it, holds it, only
// updates its saved state, or applies it. Pure.
import type { LiveKind, Plan, PlanStep } from '../desired/tree.ts';
import { rank } from '../plan/disruption.ts';
import { judgePlan, type Verdict } from '../plan/policy.ts';
import { reasonFor } from '../reason-codes.ts';
import type { ApplyOptions, Assignment, Slots } from './contract.ts';
import type { ObservedPlan } from './observe-and-plan.ts';
import type { Conclusion } from './transaction.ts';

export interface Situation {
  slots: Slots;
  here: ObservedPlan;
  isOrdered: boolean;
  nowMs: number;
}

export type ApplyDecision =
  /** The node matches the document, except for what only the control plane can change. */
  | { do: 'remember'; conclusion: Conclusion }
  /** The document is not applied. `live` are the steps that restore settings of the active document meanwhile. */
  | { do: 'hold'; conclusion: Conclusion; live: readonly PlanStep[] }
  | { do: 'go'; conclusion: Conclusion };

export function decide(assignment: Assignment, situation: Situation): ApplyDecision {
  const { plan } = situation.here;
  const { decision, code, reason } = judgeAssignment(assignment, situation);
  if (decision === 'nothing') return { do: 'remember', conclusion: { kind: 'unchanged', code, reason } };
  if (code === 'plan/needs-control-plane') return { do: 'remember', conclusion: { kind: 'blocked', code, reason } };
  if (decision === 'go') return { do: 'go', conclusion: { kind: 'applied', code: 'verify/running', reason } };
  const isDriftOfActive = code === 'plan/drift' && isActive(assignment, situation.slots);
  const live = isDriftOfActive ? liveSteps(plan) : [];
  return { do: 'hold', conclusion: { kind: decision === 'wait' ? 'waiting' : 'blocked', code, reason }, live };
}

/** Decided before the node is observed: a document that was rolled back is retried only when an operator orders it. */
export function refusalOf(
  assignment: Assignment,
  slots: Slots,
  { isOrdered }: Pick<ApplyOptions, 'isOrdered'>,
): Conclusion | undefined {
  const bad = slots.bad.find(({ hash }) => hash === assignment.hash);
  if (bad === undefined || isOrdered || isActive(assignment, slots)) return undefined;
  return { kind: 'refused', code: 'plan/known-bad', reason: `it was rolled back: ${reasonFor(bad.code).summary}` };
}

export function judgeAssignment(assignment: Assignment, { here, slots, isOrdered, nowMs }: Situation): Verdict {
  const { plan, observed } = here;
  // A repair of the active document that disrupts nothing needs no permission.
  const isUpkeep = isActive(assignment, slots) && isHarmless(plan);
  const { update } = assignment.config;
  return judgePlan(plan, update, { kubeletPhase: observed.kubeletPhase, nowMs, isOrdered: isOrdered || isUpkeep });
}

export function isActive({ hash }: Pick<Assignment, 'hash'>, { active }: Slots): boolean {
  return active?.hash === hash;
}

function isHarmless({ changes }: Plan): boolean {
  const own = changes.filter((change) => change.class !== 'C');
  return own.every((change) => rank(change.class) <= 1 && !change.isDrift);
}

/** With `onDrift: report` no file is written, but kernel settings and the firewall are lost at a boot and must be set again. */
function liveSteps({ steps }: Plan): PlanStep[] {
  return steps.filter((step) => step.do === 'set' && KERNEL_KINDS.includes(step.kind));
}

const KERNEL_KINDS: readonly LiveKind[] = ['module', 'sysctl', 'host-name', 'mtu', 'firewall'];
