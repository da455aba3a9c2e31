// node/apply/observe-and-plan.ts: what would it take to make this node what it should be, as it is at this moment? Reads only.
import { desired } from '../desired/desired.ts';
import type { Desired, LiveId, Observed, Ownership, Plan } from '../desired/tree.ts';
import { observe } from '../observe/observe.ts';
import { plan } from '../plan/plan.ts';
import type { ApplyDeps, Assignment } from './contract.ts';

export interface ObservedPlan {
  observed: Observed;
  plan: Plan;
}

export async function observeAndPlan(want: Desired, ownership: Ownership, deps: ApplyDeps): Promise<ObservedPlan> {
  const seen = await observe(deps.look, want, ownership, { nowMs: deps.clock.nowMs() });
  const observed = await withNode(seen, [...want.live.keys(), ...ownership.live.keys()], deps);
  return { observed, plan: plan(observed, want, ownership) };
}

/** The API server is asked only about what is in question, and never on the way to kubelet's start. */
async function withNode(observed: Observed, ids: readonly LiveId[], { node }: ApplyDeps): Promise<Observed> {
  const asked = ids.filter((id) => id.startsWith('label ') || id.startsWith('taint '));
  if (observed.moment !== 'running' || asked.length === 0) return observed;
  const seen = await node.seen();
  if (seen === undefined) return observed;
  const live = new Map(observed.live);
  for (const id of asked) {
    const [values, key] = [id.startsWith('label ') ? seen.labels : seen.taints, id.slice('label '.length)];
    const value = values.get(key);
    if (value !== undefined) live.set(id, value);
  }
  return { ...observed, live, isNodeKnown: true };
}

export function wantedBy({ config, facts }: Assignment): Desired {
  return desired(config, facts);
}
