// node/apply/observe-and-plan.ts: which steps would bring this node to the desired state now? Changes nothing.
import { desiredState } from '../desired/desired.ts';
import type { DesiredState, LiveId, ObservedState, Ownership, Plan } from '../desired/tree.ts';
import { observeNode } from '../observe/observe.ts';
import { plan } from '../plan/plan.ts';
import type { ApplyDeps, Assignment } from './contract.ts';

export interface ObservedPlan {
  observed: ObservedState;
  plan: Plan;
}

export async function observeAndPlan(want: DesiredState, ownership: Ownership, deps: ApplyDeps): Promise<ObservedPlan> {
  const seen = await observeNode(deps.host, want, ownership, { nowMs: deps.clock.nowMs() });
  const observed = await withNode(seen, [...want.live.keys(), ...ownership.live.keys()], deps);
  return { observed, plan: plan(observed, want, ownership) };
}

/** Reads the Node only if labels or taints matter, and never before kubelet starts, because that would delay it. */
async function withNode(observed: ObservedState, ids: readonly LiveId[], { node }: ApplyDeps): Promise<ObservedState> {
  const nodeIds = ids.filter((id) => id.startsWith('label ') || id.startsWith('taint '));
  if (observed.kubeletPhase !== 'running' || nodeIds.length === 0) return observed;
  const seen = await node.seen();
  if (seen === undefined) return observed;
  const live = new Map(observed.live);
  for (const id of nodeIds) {
    const [values, key] = [id.startsWith('label ') ? seen.labels : seen.taints, id.slice('label '.length)];
    const value = values.get(key);
    if (value !== undefined) live.set(id, value);
  }
  return { ...observed, live, isNodeKnown: true };
}

export function wantedBy({ config, facts }: Assignment): DesiredState {
  return desiredState(config, facts);
}
