// node/plan/policy.ts: may this plan be applied now without a command? Checks the document's update policy, changes that a node may not
// make, and the update window.

import { renderProblem } from '../../schema/problem.ts';
import type { DisruptionClass, KubeletPhase, Plan, PlannedChange } from '../desired/tree.ts';
import type { UpdatePolicy, Weekday } from '../document/config.ts';
import type { ReasonCode } from '../reason-codes.ts';
import { CLASS_NAME, highest, rank } from './disruption.ts';

/** nothing: nothing to do · go: apply now · wait: for a time, a boot or a person · blocked: until something else changes. */
export interface Verdict {
  decision: 'nothing' | 'go' | 'wait' | 'blocked';
  code: ReasonCode;
  /** One sentence with the observed values. */
  reason: string;
}

export interface PolicyContext {
  kubeletPhase: KubeletPhase;
  nowMs: number;
  /** A person ordered the apply, or an interrupted apply is being finished: the update policy does not limit it. */
  isOrdered: boolean;
}

export function judgePlan(
  plan: Plan,
  policy: UpdatePolicy,
  { kubeletPhase, nowMs, isOrdered }: PolicyContext,
): Verdict {
  const [problem, ...others] = plan.problems;
  if (problem !== undefined) {
    const more = others.length > 0 ? `, and ${others.length} more` : '';
    return { decision: 'blocked', code: problem.reason, reason: `${renderProblem(problem)}${more}` };
  }
  if (plan.class === 7) {
    return {
      decision: 'blocked',
      code: 'plan/needs-replacement',
      reason: named(plan.changes, (one) => one.class === 7),
    };
  }
  if (plan.steps.length === 0) return withoutSteps(plan);
  const drift = plan.changes.filter((change) => change.isDrift);
  if (drift.length > 0 && policy.onDrift === 'report' && !isOrdered) {
    return { decision: 'blocked', code: 'plan/drift', reason: named(plan.changes, (one) => one.isDrift) };
  }
  // A first boot is always applied; the update policy is for later changes.
  if (isOrdered || kubeletPhase === 'never-ran')
    return { decision: 'go', code: 'apply/running', reason: summaryOf(plan) };
  const level = highest(plan.changes.map((change) => change.class).filter((one) => one !== 'C'));
  if (rank(level) > rank(policy.maxClass)) {
    const isAbove = (one: PlannedChange) => one.class !== 'C' && rank(one.class) > rank(policy.maxClass);
    const reason = `${named(plan.changes, isAbove)}; the policy allows ${nameOf(policy.maxClass)}`;
    return { decision: 'blocked', code: 'plan/blocked-by-class', reason };
  }
  return waitVerdict(policy, kubeletPhase, nowMs) ?? { decision: 'go', code: 'apply/running', reason: summaryOf(plan) };
}

function withoutSteps(plan: Plan): Verdict {
  if (plan.changes.length === 0) {
    return { decision: 'nothing', code: 'ok/nothing-to-do', reason: 'the node matches the document' };
  }
  return {
    decision: 'blocked',
    code: 'plan/needs-control-plane',
    reason: named(plan.changes, (one) => one.class === 'C'),
  };
}

/** After a boot, before kubelet starts, nothing is disrupted, so only mode manual waits. */
function waitVerdict(policy: UpdatePolicy, kubeletPhase: KubeletPhase, nowMs: number): Verdict | undefined {
  if (policy.mode === 'manual') return { decision: 'wait', code: 'plan/manual', reason: 'the update policy is manual' };
  if (kubeletPhase === 'not-started') return undefined;
  if (policy.mode === 'staged') return { decision: 'wait', code: 'plan/staged', reason: 'the update policy is staged' };
  if (policy.window === undefined || isInWindow(policy.window, nowMs)) return undefined;
  return { decision: 'wait', code: 'plan/outside-window', reason: `it is ${new Date(nowMs).toISOString()}` };
}

const DAYS: readonly Weekday[] = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const DAY_MS = 86_400_000;

/** A window that started yesterday may still be open. */
export function isInWindow(window: NonNullable<UpdatePolicy['window']>, nowMs: number): boolean {
  const today = Math.floor(nowMs / DAY_MS);
  return [today - 1, today].some((day) => {
    const weekday = DAYS[(((day + 4) % 7) + 7) % 7]!; // 1970 began on a Thursday
    const startMs = day * DAY_MS + window.startMinute * 60_000;
    return window.days.includes(weekday) && nowMs >= startMs && nowMs < startMs + window.durationMs;
  });
}

function nameOf(level: DisruptionClass): string {
  return `class ${level} (${CLASS_NAME[level]})`;
}

/** `class 4 (drain): maxPods`: the settings of a file if known, else its path. */
function named(changes: readonly PlannedChange[], isIncluded: (change: PlannedChange) => boolean): string {
  const included = changes.filter(isIncluded);
  const level = highest(included.map((change) => change.class));
  const names = included.flatMap((change) => {
    const leaves = change.leaves.filter((leaf) => leaf.class === change.class).map((leaf) => leaf.path);
    return leaves.length > 0 ? leaves : [change.what];
  });
  const shown = [...new Set(names)];
  const more = shown.length > 3 ? ` and ${shown.length - 3} more` : '';
  return `${nameOf(level)}: ${shown.slice(0, 3).join(', ')}${more}`;
}

function summaryOf(plan: Plan): string {
  return named(plan.changes, (change) => change.class === plan.class);
}
