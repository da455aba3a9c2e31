// node/apply/health.ts: is the node healthy after a change? Judges one sample and the history of samples: keep
// watching, good, or roll back. Pure. Durations are sums of the time between two samples, so that setting the clock
// does not distort them.

import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { CONTAINERD, KUBELET } from '../desired/aspects/aspect.ts';
import type { UpdatePolicy } from '../document/config.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { NodeHealth, UnitHealth, Watch } from './contract.ts';

/** The results of all probes at one time. */
export interface HealthSample {
  nowMs: number;
  units: ReadonlyMap<string, UnitHealth>;
  doesRuntimeAnswer: boolean;
  isKubeletHealthy: boolean;
  /** Undefined: this node may not read it. */
  kubeletConfig: JsonObject | undefined;
  node: NodeHealth;
}

/** What one sample passes on to the next. */
export interface HealthHistory {
  lastSampleMs: number;
  goodForMs: number;
  badForMs: number;
  /** Time since the API server last answered. */
  silentForMs: number;
  /** `more`: restarts of the unit since the previous sample. */
  restarts: readonly { unit: string; atMs: number; total: number; more: number }[];
}

export interface HealthVerdict {
  decision: 'watch' | 'good' | 'give-up';
  code: ReasonCode;
  reason: string;
  /** This sample shows no problem. */
  isWell: boolean;
  /** kubelet and containerd work and the API server answers, so a drain can evict pods. */
  canMovePods: boolean;
  history: HealthHistory;
}

/** A longer gap between two samples means that the daemon paused or the clock was set. */
const LONGEST_STEP_MS = 60_000;

/** A change made before kubelet started was not preceded by a probe, so the control plane may be down; wait this long before a rollback. */
const SILENT_WITHIN_MS = 15 * 60_000;

export function judgeHealth(
  sample: HealthSample,
  watch: Watch,
  health: UpdatePolicy['health'],
  before: HealthHistory | undefined,
): HealthVerdict {
  const passedMs = before === undefined ? 0 : clamp(sample.nowMs - before.lastSampleMs);
  const wrong = findProblem(sample, watch, health.requireNodeReady);
  const restarts = restartsSince(sample, watch, before, health.restartsWithinMs, passedMs);
  const history: HealthHistory = {
    lastSampleMs: sample.nowMs,
    goodForMs: wrong === undefined ? (before?.goodForMs ?? 0) + passedMs : 0,
    // Time spent on checks without a deadline does not count against later checks.
    badForMs: wrong === undefined ? 0 : (before?.badForMs ?? 0) + (wrong.patience === undefined ? passedMs : 0),
    silentForMs: sample.node.isReachable ? 0 : (before?.silentForMs ?? 0) + passedMs,
    restarts,
  };
  const isLooping = (unit: string) => countOf(restarts, unit) >= health.maxRestarts;
  const looping = watch.units.find(isLooping);
  const canMovePods = !SERVING.some(isLooping) && servesPods(sample, watch);
  if (looping !== undefined) {
    const reason = `${looping} restarted ${countOf(restarts, looping)} times in ${health.restartsWithinMs / 1000} s`;
    return { decision: 'give-up', code: 'verify/crash-loop', reason, isWell: false, canMovePods, history };
  }
  if (wrong === undefined) {
    const reason = `healthy for ${Math.floor(history.goodForMs / 1000)} s`;
    return history.goodForMs >= health.commitAfterMs
      ? { decision: 'good', code: 'ok/applied', reason, isWell: true, canMovePods, history }
      : { decision: 'watch', code: 'verify/running', reason, isWell: true, canMovePods, history };
  }
  const isGivenUp = wrong.isFinal || isOver(wrong, history, health.readyWithinMs);
  const { code, reason } = wrong;
  return { decision: isGivenUp ? 'give-up' : 'watch', code, reason, isWell: false, canMovePods, history };
}

/** The units that terminate pods. */
const SERVING = [KUBELET, CONTAINERD];

function servesPods({ units, doesRuntimeAnswer, isKubeletHealthy, node, nowMs }: HealthSample, watch: Watch): boolean {
  const isDown = SERVING.some((unit) => (units.get(unit)?.state ?? 'active') !== 'active');
  if (isDown || !doesRuntimeAnswer || !isKubeletHealthy || !node.isReachable) return false;
  if (node.isReady === undefined) return true; // an overloaded API server recovers soon
  return node.isReady && node.heartbeatMs !== undefined && isFromAfter(node.heartbeatMs, watch.kubeletSinceMs, nowMs);
}

interface HealthProblem {
  code: ReasonCode;
  reason: string;
  /** It does not recover without a rollback. */
  isFinal?: boolean;
  /**
   * The change may not be the cause. endless: wait without a deadline · long: wait until the API server was silent for
   * SILENT_WITHIN_MS.
   */
  patience?: 'endless' | 'long' | undefined;
}

function isOver({ patience }: HealthProblem, { badForMs, silentForMs }: HealthHistory, readyWithinMs: number): boolean {
  if (patience === 'endless') return false;
  return patience === 'long' ? silentForMs >= SILENT_WITHIN_MS : badForMs >= readyWithinMs;
}

/** Checks units first, then the runtime, kubelet and the Node: an earlier problem causes the later ones. */
function findProblem(sample: HealthSample, watch: Watch, isReadyRequired: boolean): HealthProblem | undefined {
  for (const unit of watch.units) {
    const state = sample.units.get(unit)?.state ?? 'absent';
    if (state === 'active' || state === 'done') continue;
    return { code: 'verify/unit-failed', reason: `${unit} is ${state}`, isFinal: state === 'failed' };
  }
  if (watch.units.includes(CONTAINERD) && !sample.doesRuntimeAnswer) {
    return { code: 'verify/runtime-silent', reason: 'containerd does not accept connections on its socket' };
  }
  if (!watch.units.includes(KUBELET)) return undefined;
  if (!sample.isKubeletHealthy) return { code: 'verify/kubelet-unhealthy', reason: 'kubelet is not healthy' };
  const other = sample.kubeletConfig && firstDifference(watch.kubeletConfig, sample.kubeletConfig);
  if (other !== undefined) {
    return { code: 'verify/kubelet-unhealthy', reason: `kubelet reports a different value for ${other} than planned` };
  }
  return isReadyRequired ? findNodeProblem(sample.node, watch, sample.nowMs) : undefined;
}

function findNodeProblem(node: NodeHealth, watch: Watch, nowMs: number): HealthProblem | undefined {
  if (!node.isReachable) return silence(watch);
  if (node.isReady === undefined) {
    return {
      code: 'verify/running',
      reason: 'the API server cannot report the state of the node now',
      patience: 'endless',
    };
  }
  const patience = watch.wasNotReady ? 'endless' : undefined;
  const code = 'verify/node-not-ready';
  if (node.heartbeatMs === undefined) return { code, reason: 'the node has not registered', patience };
  if (!node.isReady)
    return { code, reason: `the node is not Ready${patience ? ', as before the change' : ''}`, patience };
  if (isFromAfter(node.heartbeatMs, watch.kubeletSinceMs, nowMs)) return undefined;
  return { code, reason: 'the node was Ready before the change; kubelet has not reported Ready since' };
}

function silence({ wasApiReachable, wasApiReachableEarlier }: Watch): HealthProblem {
  const code = 'verify/api-unreachable';
  if (wasApiReachable) return { code, reason: 'the API server answered before the change and no longer answers' };
  return wasApiReachableEarlier
    ? {
        code,
        reason: 'the API server answered before this boot and has not answered since the change',
        patience: 'long',
      }
    : { code: 'verify/running', reason: 'the API server does not answer, as before the change', patience: 'endless' };
}

/** Heartbeats have whole seconds. A start in the future means that the clock was set back since. */
function isFromAfter(heartbeatMs: number, sinceMs: number | undefined, nowMs: number): boolean {
  if (sinceMs === undefined || nowMs < sinceMs) return true;
  return heartbeatMs >= Math.floor(sinceMs / 1000) * 1000;
}

function restartsSince(
  { units, nowMs }: HealthSample,
  watch: Watch,
  before: HealthHistory | undefined,
  withinMs: number,
  passedMs: number,
): HealthHistory['restarts'] {
  // Shift earlier times onto the current clock, so that setting the clock does not change their age.
  const shiftMs = before === undefined ? 0 : nowMs - passedMs - before.lastSampleMs;
  const kept = (before?.restarts ?? []).map((one) => ({ ...one, atMs: one.atMs + shiftMs }));
  const added = watch.units.map((unit) => {
    const total = units.get(unit)?.restarts ?? 0;
    const last = kept.findLast((one) => one.unit === unit)?.total;
    // Restarts before the first sample may be weeks old. A manual start resets systemd's count.
    const more = last === undefined ? 0 : total < last ? total : total - last;
    return { unit, atMs: nowMs, total, more };
  });
  const last = new Set(added);
  return [...kept, ...added].filter((one) => last.has(one) || (one.more > 0 && one.atMs > nowMs - withinMs));
}

function countOf(restarts: HealthHistory['restarts'], unit: string): number {
  return restarts.reduce((sum, one) => (one.unit === unit ? sum + one.more : sum), 0);
}

function clamp(passedMs: number): number {
  return Math.min(Math.max(passedMs, 0), LONGEST_STEP_MS);
}

/** Compares only the planned fields: kubelet fills in the rest, and formats durations and quantities differently. */
function firstDifference(planned: Json, seen: Json | undefined, path = ''): string | undefined {
  if (!isObject(planned)) return isAlike(planned, seen) ? undefined : path;
  for (const [key, value] of Object.entries(planned)) {
    const inner = path === '' ? key : `${path}.${key}`;
    if (inner === 'apiVersion' || inner === 'kind') continue;
    const found = firstDifference(value, isObject(seen) ? seen[key] : undefined, inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** kubelet reports numbers, booleans and names unchanged, but may reformat strings with digits. */
function isAlike(planned: Json, seen: Json | undefined): boolean {
  if (typeof planned === 'string') return typeof seen === 'string' && (/\d/.test(planned) || planned === seen);
  if (planned === null || typeof planned === 'object') return true;
  return planned === seen;
}
