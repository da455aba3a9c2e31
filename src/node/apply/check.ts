// node/apply/check.ts: what follows from one health check after a change? Keep watching, make it the last known good,
// or roll back.
import type { ApplyDeps, ApplyOutcome, Watch } from './contract.ts';
import { isDocumentToBlame } from './failures.ts';
import { type HealthHistory, type HealthSample, judgeHealth } from './health.ts';
import { resume, rollBack } from './journal.ts';
import { uncordonIfOwed } from './owed-uncordon.ts';
import type { State } from './records.ts';
import type { RollbackInput } from './rollback.ts';
import type { Conclusion, Transaction } from './transaction.ts';

/** The checks of the watched generation so far. Not persisted: a restarted daemon starts over. */
export interface HealthMemory {
  history?: (HealthHistory & { number: number }) | undefined;
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
  const before = memory.history?.number === watch.number ? memory.history : undefined;
  const sample = await transaction.time('probe', () => takeSample(transaction, watch));
  const { decision, history, code, reason, isWell, canMovePods } = judgeHealth(sample, watch, health, before);
  memory.history = { ...history, number: watch.number };
  const state = isWell ? await uncordonIfOwed(transaction, found) : found;

  if (decision === 'give-up') return rollBackWatched(transaction, state, watch, { code, reason, canMovePods });
  if (watch.keepByMs !== undefined && sample.nowMs >= watch.keepByMs) {
    const why = `it was on trial for ${update.tryForMs / 1000} s and was not confirmed`;
    return rollBackWatched(transaction, state, watch, { code: 'verify/not-kept', reason: why, canMovePods });
  }
  if (decision === 'watch' || watch.keepByMs !== undefined) {
    return transaction.outcome({ kind: 'applied', code, reason }, state.slots);
  }
  const slots = { ...state.slots, lastKnownGood: { ...active, atMs: deps.clock.nowMs() }, watch: undefined };
  await folder.writeState({ ...state, slots });
  return transaction.outcome({ kind: 'verified', code, reason }, slots);
}

/** Without a generation to roll back to, the node keeps the change and may still recover. */
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

/** Port 0 disables kubelet's healthz endpoint; there is nothing to probe then. */
async function kubeletHealthz({ kubeletConfig }: Watch, { probes }: ApplyDeps): Promise<boolean> {
  const { healthzPort } = kubeletConfig;
  if (healthzPort === 0) return true;
  return probes.kubeletHealthz(typeof healthzPort === 'number' ? healthzPort : undefined);
}

async function takeSample({ deps }: Transaction, watch: Watch): Promise<HealthSample> {
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
