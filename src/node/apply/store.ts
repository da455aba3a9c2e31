// node/apply/store.ts: the operations that contract.ts describes. recover, apply, check and rollbackTo first resume an
// interrupted change.
import { UserError } from '../../base/errors.ts';
import { apply } from './apply.ts';
import { checkHealth, type HealthMemory, rollBackWatched } from './check.ts';
import type { ApplyDeps, ApplyOutcome, NodeStore } from './contract.ts';
import { judgeAssignment } from './decide.ts';
import { openFolder } from './folder.ts';
import { forget } from './forget.ts';
import { isUnfinished, resume } from './journal.ts';
import { observeAndPlan, wantedBy } from './observe-and-plan.ts';
import { generationRecordOf, rollbackTarget } from './slots.ts';
import { inTransaction, type Transaction, unchangedOutcome } from './transaction.ts';

export function openNodeStore(deps: ApplyDeps): NodeStore {
  const folder = openFolder(deps.root, deps.disk);
  const memory: HealthMemory = {};
  const doAlone = (act: (transaction: Transaction) => Promise<ApplyOutcome>) => inTransaction(deps, folder, act);
  return {
    recover: () => doAlone(recover),

    async plan(assignment, { isOrdered }) {
      const { ownership, slots } = folder.readState();
      const here = await observeAndPlan(wantedBy(assignment), ownership, deps);
      return {
        plan: here.plan,
        verdict: judgeAssignment(assignment, { here, slots, isOrdered, nowMs: deps.clock.nowMs() }),
      };
    },

    apply: (assignment, options) => doAlone((transaction) => apply(transaction, assignment, options)),

    async check() {
      const state = folder.readState();
      const isQuiet = state.slots.watch === undefined && !state.owesUncordon && folder.readJournal() === undefined;
      return isQuiet ? unchangedOutcome(state) : doAlone((transaction) => checkHealth(transaction, memory));
    },

    keep: () => doAlone(keep),

    forget: () => doAlone(forget),

    slots: () => folder.readState().slots,

    active() {
      const { active } = folder.readState().slots;
      return active && folder.readGeneration(active.number)?.assignment;
    },

    listGenerations() {
      const state = folder.readState();
      return folder.generations(state).map((one) => generationRecordOf(one, state.slots));
    },

    rollbackTo: (number) => doAlone((transaction) => rollBackTo(transaction, number)),

    async drift() {
      const { slots, ownership } = folder.readState();
      const generation = slots.active && folder.readGeneration(slots.active.number);
      if (generation === undefined) return [];
      const { plan } = await observeAndPlan(wantedBy(generation.assignment), ownership, deps);
      return plan.changes.filter((change) => change.isDrift);
    },
  };
}

async function recover(transaction: Transaction): Promise<ApplyOutcome> {
  const { deps, folder } = transaction;
  const resumed = await resume(transaction);
  const state = folder.readState();
  const { watch } = state.slots;
  if (watch === undefined || watch.bootId === deps.bootId) return resumed ?? transaction.nothing(state);
  if (watch.backTo !== undefined) {
    const reason = 'the machine rebooted while the change was being watched';
    return rollBackWatched(transaction, state, watch, { code: 'verify/unexpected-reboot', reason, canMovePods: false });
  }
  const next = { ...state, slots: { ...state.slots, watch: { ...watch, bootId: deps.bootId } } };
  await folder.writeState(next);
  return resumed ?? transaction.nothing(next);
}

async function keep(transaction: Transaction): Promise<ApplyOutcome> {
  const state = transaction.folder.readState();
  const { watch } = state.slots;
  if (watch?.keepByMs === undefined) return transaction.nothing(state);
  const { keepByMs: _, ...kept } = watch;
  const slots = { ...state.slots, watch: kept };
  await transaction.folder.writeState({ ...state, slots });
  return transaction.outcome(
    { kind: 'applied', code: 'verify/running', reason: 'confirmed; it is no longer on trial' },
    slots,
  );
}

async function rollBackTo(transaction: Transaction, number: number | undefined): Promise<ApplyOutcome> {
  const resumed = await resume(transaction);
  if (resumed !== undefined && isUnfinished(resumed)) return resumed;
  const state = transaction.folder.readState();
  const { folder } = transaction;
  const found = rollbackTarget(state.slots, folder.generations(state), number);
  const generation = found && folder.readWithCurrentFacts(found.number, state);
  if (generation === undefined) {
    throw new UserError(
      number === undefined ? 'this node has no earlier generation' : `this node has no generation ${number}`,
      {
        code: 'node/no-such-generation',
        kept: 'The node was not changed.',
        next: 'run `headstart node history` to list the generations',
        exitCode: 1,
      },
    );
  }
  return apply(transaction, generation.assignment, { isOrdered: true }, generation);
}
