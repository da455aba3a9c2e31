// node/apply/rollback.ts: can the node roll back, and with which steps? The plan treats the later generation as drift
// from the earlier one and repairs it, so a rollback may also make changes that would require a new node in the other
// direction. Pure.
import { DEFAULT_KUBELET_ROOT } from '../desired/aspects/kubelet.ts';
import { unitPath } from '../desired/aspects/units.ts';
import {
  type DesiredState,
  NOTHING_OWNED,
  type ObservedState,
  type Ownership,
  type Plan,
  type PlanStep,
} from '../desired/tree.ts';
import type { UpdatePolicy } from '../document/config.ts';
import { judgePlan } from '../plan/policy.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { Slot, Slots, Watch } from './contract.ts';
import type { ApplyStamp } from './next-state.ts';
import type { ObservedPlan } from './observe-and-plan.ts';
import type { Generation, Journal, State } from './records.ts';
import { slotOf, withBad } from './slots.ts';
import type { Conclusion } from './transaction.ts';
import { watchFor } from './watch.ts';

export interface RollbackInput {
  state: State;
  code: ReasonCode;
  reason: string;
  /** Undefined: the original image. */
  target: number | undefined;
  /** The document to record as bad, if any. */
  blamed: Slot | undefined;
  /** Everything that headstart may own while the change is half done. */
  meanwhile: Ownership;
  ranBefore: readonly string[];
  /** A drain can evict the pods that would not survive the rollback. */
  canMovePods: boolean;
  /** The node may still be cordoned. */
  owesUncordon: boolean;
}

export interface RollbackSituation {
  /** Undefined: the original image. */
  old: Generation | undefined;
  here: ObservedPlan;
  stamp: ApplyStamp;
}

export type RollbackDecision =
  | { do: 'stay'; conclusion: Conclusion; state: State }
  | { do: 'go'; conclusion: Conclusion; journal: Journal };

export function decideRollback(back: RollbackInput, situation: RollbackSituation): RollbackDecision {
  const { state, code, reason, meanwhile, blamed, ranBefore, canMovePods, owesUncordon } = back;
  const { old, here, stamp } = situation;
  const { observed, plan } = here;
  // Without an earlier generation the node has nothing else to run, so it retries the document whenever it is delivered.
  const isBlamed = blamed !== undefined && old !== undefined;
  const bad = isBlamed ? withBad(state.slots.bad, blamed, code, stamp.atMs) : state.slots.bad;
  const { kubeletPhase } = observed;
  const verdict = judgePlan(plan, ROLLBACK_POLICY, { kubeletPhase, nowMs: stamp.atMs, isOrdered: true });
  if (verdict.decision === 'blocked' && verdict.code !== 'plan/needs-control-plane') {
    return {
      do: 'stay',
      conclusion: { kind: 'failed', code: 'rollback/failed', reason: `${reason}; cannot roll back: ${verdict.reason}` },
      state: { ...state, slots: { ...state.slots, bad, watch: undefined }, ownership: meanwhile, owesUncordon },
    };
  }
  const slot = old && slotOf(old.assignment, old.number, stamp);
  const slots: Slots = { ...state.slots, active: slot, bad, watch: watchAfter(back, situation) };
  return {
    do: 'go',
    conclusion: { kind: old ? 'reverted' : 'failed', code, reason },
    journal: {
      kind: 'back',
      steps: withRevived(canMovePods ? plan : withoutDrain(plan), observed, ranBefore),
      isBeforeKubelet: kubeletPhase !== 'running',
      bootId: stamp.bootId,
      attempts: 1,
      ownershipMeanwhile: withOwnershipBefore(plan.ownershipMeanwhile, meanwhile),
      after: { ...state, slots, ownership: plan.ownership, owesUncordon },
      generation: old,
    },
  };
}

function watchAfter({ state, ranBefore }: RollbackInput, { old, here, stamp }: RollbackSituation): Watch | undefined {
  if (old === undefined) return undefined;
  const { watch, lastKnownGood } = state.slots;
  // The earlier generation was still being watched when the failed change began.
  if (watch?.number === old.number) return watch;
  if (lastKnownGood?.number === old.number) return undefined;
  // The earlier generation was never verified and has nothing to roll back to.
  const again = watchFor(here.plan, here.observed, {
    number: old.number,
    nowMs: stamp.atMs,
    bootId: stamp.bootId,
    before: undefined,
    backTo: undefined,
    isBackGood: false,
    update: { mode: 'auto', tryForMs: 0 },
  });
  return { ...again, ranBefore };
}

/** The ownership that a rollback plans with. */
export function ownershipBefore(old: Generation | undefined, { meanwhile }: RollbackInput): Ownership {
  return withOwnershipBefore(old?.ownership ?? NOTHING_OWNED, meanwhile);
}

/** The original image. */
export const NOTHING_DESIRED: DesiredState = {
  files: new Map(),
  live: new Map(),
  kubeletRoot: DEFAULT_KUBELET_ROOT,
  problems: [],
};

/** A rollback is not limited by the update policy. */
const ROLLBACK_POLICY: UpdatePolicy = {
  mode: 'auto',
  tryForMs: 0,
  maxClass: 6,
  jitterMs: 0,
  maxUnavailable: 1,
  onDrift: 'repair',
  pollMs: 0,
  health: { requireNodeReady: false, readyWithinMs: 0, maxRestarts: 0, restartsWithinMs: 0, commitAfterMs: 0 },
};

/** Everything that may be owned by now; entries of the earlier generation win. */
function withOwnershipBefore(before: Ownership, meanwhile: Ownership): Ownership {
  return {
    files: new Map([...meanwhile.files, ...before.files]),
    folders: new Set([...meanwhile.folders, ...before.folders]),
    live: new Map([...meanwhile.live, ...before.live]),
  };
}

/** Without a working kubelet and API server a drain would only delay the rollback that fixes them. */
function withoutDrain(plan: Plan): Plan {
  return { ...plan, steps: plan.steps.filter((step) => step.do !== 'drain') };
}

/** A plan does not start units that are down. A rollback must: the change may have stopped units that ran before. */
function withRevived(plan: Plan, observed: ObservedState, ranBefore: readonly string[]): PlanStep[] {
  const handled = new Set(
    plan.steps.flatMap((step) => {
      if ('unit' in step) return [step.unit];
      return step.do === 'set' && step.kind === 'unit-active' ? [step.key] : [];
    }),
  );
  const comes = new Set(plan.steps.flatMap((step) => (step.do === 'write-file' ? [step.path] : [])));
  const willBe = (unit: string) => observed.units.has(unit) || comes.has(unitPath(unit));
  const down = ranBefore.filter((unit) => !observed.units.get(unit)?.isActive && willBe(unit) && !handled.has(unit));
  const revived = down.map((unit): PlanStep => ({ do: 'restart-unit', unit }));
  const last = plan.steps.findIndex(({ do: what }) => what === 'reboot' || what === 'uncordon');
  const at = last < 0 ? plan.steps.length : last;
  return [...plan.steps.slice(0, at), ...revived, ...plan.steps.slice(at)];
}
