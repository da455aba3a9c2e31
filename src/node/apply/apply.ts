// node/apply/apply.ts: what becomes of a document that was assigned? It is refused, it waits, it changes nothing, or it is made true.

import type { LiveKind, Observed, Plan } from '../desired/tree.ts';
import { rank } from '../plan/disruption.ts';
import { renderOwnership } from '../plan/ownership-file.ts';
import { judgePlan, type Verdict } from '../plan/policy.ts';
import { reasonOf } from '../reason-codes.ts';
import { isUnfinished, makeChange, payDebts, resume } from './change.ts';
import type { ApplyOptions, Assignment, Edges, Outcome, Slots, Watch } from './contract.ts';
import { doSteps } from './do-steps.ts';
import { type PlannedHere, planFor, wantedBy } from './plan-for.ts';
import type { Generation, Journal, State } from './records.ts';
import { slotOf, withBad, withoutHash } from './slots.ts';
import { watchFor } from './watch.ts';
import type { Work } from './work.ts';

/** `again`: a person goes back to this generation. */
export async function apply(
  work: Work,
  assignment: Assignment,
  options: ApplyOptions,
  again?: Generation,
): Promise<Outcome> {
  const resumed = await resume(work);
  if (resumed !== undefined && isUnfinished(resumed)) return resumed;
  const { edges, folder } = work;
  let state = folder.readState();
  const isActive = state.slots.active?.hash === assignment.hash;
  const bad = state.slots.bad.find(({ hash }) => hash === assignment.hash);
  if (bad !== undefined && !isActive && !options.isOrdered) {
    const reason = `it was taken back: ${reasonOf(bad.code).summary}`;
    return work.outcome(
      { kind: 'refused', code: 'plan/known-bad', reason },
      await noteAssigned(work, state, assignment),
    );
  }

  const here = await work.time('observe', () => planFor(wantedBy(assignment), state.ownership, edges));
  const { observed, plan } = here;
  const { decision, code, reason } = judge(assignment, here, options, state.slots, edges);
  if (decision !== 'go' && observed.moment === 'running') state = await payDebts(work, state);
  const number = again?.number ?? (isActive ? state.slots.active!.number : state.lastNumber + 1);
  const next: Next = { assignment, plan, observed, number, state, isActive, again };
  if (decision === 'nothing' || code === 'plan/needs-control-plane') {
    const kind = decision === 'nothing' ? 'unchanged' : 'blocked';
    return work.outcome({ kind, code, reason }, await settle(work, next), plan);
  }
  if (decision !== 'go') {
    if (code === 'plan/drift' && isActive) await keepLive(work, plan, observed);
    const kind = decision === 'wait' ? 'waiting' : 'blocked';
    return work.outcome({ kind, code, reason }, await noteAssigned(work, state, assignment), plan);
  }
  options.signal?.throwIfAborted();
  const journal = await journalOf(work, next);
  return makeChange(work, journal, { kind: 'applied', code: 'verify/running', reason }, plan);
}

export function judge(
  { config, hash }: Assignment,
  { plan, observed }: PlannedHere,
  { isOrdered }: ApplyOptions,
  { active }: Slots,
  { clock }: Edges,
): Verdict {
  // What the node runs is kept true: nobody is asked again for what disrupts nothing.
  const isUpkeep = active?.hash === hash && isHarmless(plan);
  const { moment } = observed;
  return judgePlan(plan, config.update, { moment, nowMs: clock.nowMs(), isOrdered: isOrdered || isUpkeep });
}

function isHarmless({ changes }: Plan): boolean {
  const own = changes.filter((change) => change.class !== 'C');
  return own.every((change) => rank(change.class) <= 1 && !change.isDrift);
}

/** Over drift no file is written; but the kernel's settings and the firewall are gone with every boot, and are set again. */
async function keepLive({ edges, time }: Work, { steps }: Plan, { moment }: Observed): Promise<void> {
  const live = steps.filter((step) => step.do === 'set' && OF_THE_KERNEL.includes(step.kind));
  const isBeforeKubelet = moment !== 'running';
  await doSteps(live, { edges, time, staged: new Map(), isWayBack: false, isBeforeKubelet, isLaterBoot: false });
}

const OF_THE_KERNEL: readonly LiveKind[] = ['module', 'sysctl', 'host-name', 'mtu', 'firewall'];

interface Next {
  assignment: Assignment;
  plan: Plan;
  observed: Observed;
  number: number;
  state: State;
  /** The node runs it already; at most something has to be put right. */
  isActive: boolean;
  again: Generation | undefined;
}

/** What it was told, also when it does nothing about it. */
async function noteAssigned({ edges, folder }: Work, state: State, assignment: Assignment): Promise<Slots> {
  if (state.slots.assigned?.hash === assignment.hash) return state.slots;
  const slots = { ...state.slots, assigned: slotOf(assignment, 0, { atMs: edges.clock.nowMs(), vmId: edges.vmId }) };
  await folder.writeState({ ...state, slots });
  return slots;
}

/** The node is what the document asks for: only what we remember of it may be new. */
async function settle(work: Work, next: Next): Promise<Slots> {
  const { edges, folder } = work;
  const { assignment, plan, number, state, isActive } = next;
  const { active, lastKnownGood, watch } = state.slots;
  if (isActive) {
    const isSame = renderOwnership(plan.ownership) === renderOwnership(state.ownership);
    const record = recordToKeep(next, work);
    if (!isSame || record) await folder.finish({ ...state, ownership: plan.ownership }, record, []);
    return state.slots;
  }
  const slot = slotOf(assignment, number, { atMs: edges.clock.nowMs(), vmId: edges.vmId });
  const isStillGood = active !== undefined && active.number === lastKnownGood?.number;
  const slots: Slots = {
    assigned: slot,
    active: slot,
    lastKnownGood: isStillGood ? slot : lastKnownGood,
    bad: badAfter(next, edges),
    watch: watch && { ...watch, number },
  };
  await folder.finish(stateAfter(next, slots), generationOf(next, edges), []);
  return slots;
}

async function journalOf(work: Work, next: Next): Promise<Journal> {
  const { edges } = work;
  const { assignment, plan, observed, number, state, isActive } = next;
  const slot = slotOf(assignment, number, { atMs: edges.clock.nowMs(), vmId: edges.vmId });
  const { lastKnownGood } = state.slots;
  const slots: Slots = isActive
    ? { ...state.slots, assigned: slot }
    : {
        assigned: slot,
        active: slot,
        lastKnownGood,
        bad: badAfter(next, edges),
        watch: number === lastKnownGood?.number ? undefined : await watchOf(next, edges),
      };
  return {
    kind: 'forward',
    steps: plan.steps,
    isBeforeKubelet: observed.moment !== 'running',
    bootId: edges.bootId,
    attempts: 1,
    ownershipMeanwhile: plan.ownershipMeanwhile,
    after: stateAfter(next, slots),
    generation: recordToKeep(next, work),
  };
}

async function watchOf({ assignment, plan, observed, number, state }: Next, edges: Edges): Promise<Watch> {
  const { lastKnownGood, active } = state.slots;
  const backTo = [lastKnownGood?.number, active?.number].find((one) => one !== undefined && one !== number);
  return watchFor(plan, observed, {
    number,
    nowMs: edges.clock.nowMs(),
    bootId: edges.bootId,
    before: observed.moment === 'running' ? await edges.probes.node() : undefined,
    backTo,
    isBackGood: backTo !== undefined && backTo === lastKnownGood?.number,
    update: assignment.config.update,
  });
}

function stateAfter({ state, plan, number }: Next, slots: Slots): State {
  return { ...state, slots, lastNumber: Math.max(state.lastNumber, number), ownership: plan.ownership };
}

/** There is one already of what runs and of what a person goes back to; but the platform may say something new of the instance. */
function recordToKeep(next: Next, { edges, folder }: Work): Generation | undefined {
  const { isActive, again, number, assignment } = next;
  const kept = isActive || again !== undefined ? folder.readGeneration(number) : undefined;
  const isSame = kept !== undefined && JSON.stringify(kept.assignment.facts) === JSON.stringify(assignment.facts);
  return isSame ? undefined : generationOf(next, edges);
}

function generationOf({ assignment, plan, number }: Next, { clock }: Edges): Generation {
  return { number, appliedMs: clock.nowMs(), assignment, ownership: plan.ownership };
}

/** What runs is good for now; what a person went back from is not to return with the next look at the metadata. */
function badAfter({ state, assignment, again }: Next, { clock }: Edges): Slots['bad'] {
  const { active, bad } = state.slots;
  const all = again && active ? withBad(bad, active, 'rollback/done', clock.nowMs()) : bad;
  return withoutHash(all, assignment.hash);
}
