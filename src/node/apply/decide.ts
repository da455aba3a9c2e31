// node/apply/decide.ts: what becomes of a document that is assigned to this node? It is refused, it waits, it changes nothing but what is
// remembered, or it goes ahead. Pure.
import type { LiveKind, Plan, Step } from '../desired/tree.ts';
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
  /** The node is what the document asks for, as far as a node can be. */
  | { do: 'remember'; conclusion: Conclusion }
  /** Nothing of the document is applied; `live` are steps that keep what runs true meanwhile. */
  | { do: 'hold'; conclusion: Conclusion; live: readonly Step[] }
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

/** Before anything is looked at: a document that was taken back is tried again only when a person says so. Undefined: it is not refused. */
export function refusalOf(
  assignment: Assignment,
  slots: Slots,
  { isOrdered }: Pick<ApplyOptions, 'isOrdered'>,
): Conclusion | undefined {
  const bad = slots.bad.find(({ hash }) => hash === assignment.hash);
  if (bad === undefined || isOrdered || isActive(assignment, slots)) return undefined;
  return { kind: 'refused', code: 'plan/known-bad', reason: `it was taken back: ${reasonFor(bad.code).summary}` };
}

export function judgeAssignment(assignment: Assignment, { here, slots, isOrdered, nowMs }: Situation): Verdict {
  const { plan, observed } = here;
  // The node keeps what it runs true: a repair that disrupts nothing needs no permission.
  const isUpkeep = isActive(assignment, slots) && isHarmless(plan);
  const { update } = assignment.config;
  return judgePlan(plan, update, { moment: observed.moment, nowMs, isOrdered: isOrdered || isUpkeep });
}

export function isActive({ hash }: Pick<Assignment, 'hash'>, { active }: Slots): boolean {
  return active?.hash === hash;
}

function isHarmless({ changes }: Plan): boolean {
  const own = changes.filter((change) => change.class !== 'C');
  return own.every((change) => rank(change.class) <= 1 && !change.isDrift);
}

/** Over drift no file is written; but a boot clears the kernel's settings and the firewall, and they are set again. */
function liveSteps({ steps }: Plan): Step[] {
  return steps.filter((step) => step.do === 'set' && KERNEL_KINDS.includes(step.kind));
}

const KERNEL_KINDS: readonly LiveKind[] = ['module', 'sysctl', 'host-name', 'mtu', 'firewall'];
