// node/apply/check.ts: what follows from one look at the health of a node after a change? Nothing yet, the last known good, or back.
import type { ApplyDeps, ApplyOutcome, Watch } from './contract.ts';
import { isDocumentToBlame } from './failures.ts';
import { type HealthHistory, type HealthSample, judgeHealth } from './health.ts';
import { resume, rollBack } from './journal.ts';
import { uncordonIfOwed } from './owed-uncordon.ts';
import type { State } from './records.ts';
import type { RollbackInput } from './rollback.ts';
import type { Conclusion, Transaction } from './transaction.ts';

/** What was seen so far, of the generation of this number. A daemon that starts anew watches anew. */
export interface HealthMemory {
  course?: (HealthHistory & { number: number }) | undefined;
}

export async function checkHealth(transaction: Transaction, memory: HealthMemory): Promise<ApplyOutcome> {
  const resumed = await resume(transaction);
  if (resumed !== undefined) return resumed;
  const { deps, folder } = transaction;
  const found = folder.readState();
  const { watch, active } = found.slots;
  const generation = active && folder.readGeneration(active.number);
  if (watch === undefined || active === undefined || generation === undefined) {
    return transaction.nothing(await uncordonIfOwed(transaction, found));
  }

  const { config } = generation.assignment;
  const { update } = config;
  // Without a cluster there is no Node that could be Ready.
  const health = { ...update.health, requireNodeReady: update.health.requireNodeReady && config.cluster !== undefined };
  const before = memory.course?.number === watch.number ? memory.course : undefined;
  const reading = await transaction.time('probe', () => read(transaction, watch));
  const { decision, course, code, reason, isWell, canMovePods } = judgeHealth(reading, watch, health, before);
  memory.course = { ...course, number: watch.number };
  const state = isWell ? await uncordonIfOwed(transaction, found) : found;

  if (decision === 'give-up') return rollBackWatched(transaction, state, watch, { code, reason, canMovePods });
  if (watch.keepByMs !== undefined && reading.nowMs >= watch.keepByMs) {
    const why = `it was on trial for ${update.tryForMs / 1000} s, and nobody kept it`;
    return rollBackWatched(transaction, state, watch, { code: 'verify/not-kept', reason: why, canMovePods });
  }
  if (decision === 'watch' || watch.keepByMs !== undefined) {
    return transaction.outcome({ kind: 'applied', code, reason }, state.slots);
  }
  const slots = { ...state.slots, lastKnownGood: { ...active, atMs: deps.clock.nowMs() }, watch: undefined };
  await folder.writeState({ ...state, slots });
  return transaction.outcome({ kind: 'verified', code, reason }, slots);
}

/** Without anything to go back to, the node keeps what it has, and may still get well. */
export async function rollBackWatched(
  transaction: Transaction,
  state: State,
  { backTo, ranBefore }: Watch,
  { code, reason, canMovePods }: Omit<Conclusion, 'kind'> & Pick<RollbackInput, 'canMovePods'>,
): Promise<ApplyOutcome> {
  const { ownership: meanwhile, owesUncordon } = state;
  if (backTo === undefined || transaction.folder.readGeneration(backTo) === undefined) {
    return transaction.outcome({ kind: 'failed', code, reason }, state.slots);
  }
  const blamed = isDocumentToBlame(code) ? state.slots.active : undefined;
  return rollBack(transaction, {
    state,
    code,
    reason,
    target: backTo,
    blamed,
    meanwhile,
    ranBefore,
    canMovePods,
    owesUncordon,
  });
}

/** Where its configuration says; 0 switches it off, and then there is nobody to ask. */
async function kubeletHealthz({ kubeletConfig }: Watch, { probes }: ApplyDeps): Promise<boolean> {
  const { healthzPort } = kubeletConfig;
  if (healthzPort === 0) return true;
  return probes.kubeletHealthz(typeof healthzPort === 'number' ? healthzPort : undefined);
}

async function read({ deps }: Transaction, watch: Watch): Promise<HealthSample> {
  const { probes, clock } = deps;
  const [units, doesRuntimeAnswer, isKubeletHealthy, kubeletConfig, node] = await Promise.all([
    probes.units(watch.units),
    probes.runtimeAnswers(),
    kubeletHealthz(watch, deps),
    probes.kubeletConfig(),
    probes.node(),
  ]);
  return { nowMs: clock.nowMs(), units, doesRuntimeAnswer, isKubeletHealthy, kubeletConfig, node };
}
