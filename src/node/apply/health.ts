// node/apply/health.ts: is the node well after a change? What was seen now, how long it has been so, and what follows from it: still
// watching, good for good, or taken back. Pure; time is what passed between two looks, so a clock that is set does not count.

import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { CONTAINERD, KUBELET } from '../desired/aspects/aspect.ts';
import type { UpdatePolicy } from '../document/config.ts';
import type { ReasonCode } from '../reason-codes.ts';
import type { NodeHealth, UnitHealth, Watch } from './contract.ts';

/** Everything that was asked, at one moment. */
export interface HealthSample {
  nowMs: number;
  units: ReadonlyMap<string, UnitHealth>;
  doesRuntimeAnswer: boolean;
  isKubeletHealthy: boolean;
  /** Undefined: nobody may ask. */
  kubeletConfig: JsonObject | undefined;
  node: NodeHealth;
}

/** What one look leaves for the next. */
export interface HealthHistory {
  lastLookMs: number;
  goodForMs: number;
  badForMs: number;
  /** Since the API server last answered. */
  silentForMs: number;
  /** When each unit was seen to have restarted, as often as it did since the look before. */
  restarts: readonly { unit: string; atMs: number; total: number; more: number }[];
}

export interface HealthVerdict {
  decision: 'watch' | 'good' | 'give-up';
  code: ReasonCode;
  reason: string;
  /** Nothing was wrong at this look. */
  isWell: boolean;
  /** Somebody would end its pods, and can be told to. */
  canMovePods: boolean;
  course: HealthHistory;
}

/** A longer pause between two looks is the daemon's or the clock's, not the node's. */
const LONGEST_STEP_MS = 60_000;

/** Before kubelet's start nobody was asked, so it may be the control plane's doing; but a node is not cut off for good on a guess. */
const SILENT_WITHIN_MS = 15 * 60_000;

export function judgeHealth(
  reading: HealthSample,
  watch: Watch,
  health: UpdatePolicy['health'],
  before: HealthHistory | undefined,
): HealthVerdict {
  const passedMs = before === undefined ? 0 : clamp(reading.nowMs - before.lastLookMs);
  const wrong = findProblem(reading, watch, health.requireNodeReady);
  const restarts = restartsSince(reading, watch, before, health.restartsWithinMs, passedMs);
  const course: HealthHistory = {
    lastLookMs: reading.nowMs,
    goodForMs: wrong === undefined ? (before?.goodForMs ?? 0) + passedMs : 0,
    // What is waited for as long as it takes is no time for what comes after it.
    badForMs: wrong === undefined ? 0 : (before?.badForMs ?? 0) + (wrong.patience === undefined ? passedMs : 0),
    silentForMs: reading.node.isReachable ? 0 : (before?.silentForMs ?? 0) + passedMs,
    restarts,
  };
  const isLooping = (unit: string) => countOf(restarts, unit) >= health.maxRestarts;
  const looping = watch.units.find(isLooping);
  const canMovePods = !SERVING.some(isLooping) && servesPods(reading, watch);
  if (looping !== undefined) {
    const reason = `${looping} restarted ${countOf(restarts, looping)} times in ${health.restartsWithinMs / 1000} s`;
    return { decision: 'give-up', code: 'verify/crash-loop', reason, isWell: false, canMovePods, course };
  }
  if (wrong === undefined) {
    const reason = `healthy for ${Math.floor(course.goodForMs / 1000)} s`;
    return course.goodForMs >= health.commitAfterMs
      ? { decision: 'good', code: 'ok/applied', reason, isWell: true, canMovePods, course }
      : { decision: 'watch', code: 'verify/running', reason, isWell: true, canMovePods, course };
  }
  const isGivenUp = wrong.isFinal || isOver(wrong, course, health.readyWithinMs);
  const { code, reason } = wrong;
  return { decision: isGivenUp ? 'give-up' : 'watch', code, reason, isWell: false, canMovePods, course };
}

/** Who ends pods. */
const SERVING = [KUBELET, CONTAINERD];

function servesPods({ units, doesRuntimeAnswer, isKubeletHealthy, node, nowMs }: HealthSample, watch: Watch): boolean {
  const isDown = SERVING.some((unit) => (units.get(unit)?.state ?? 'active') !== 'active');
  if (isDown || !doesRuntimeAnswer || !isKubeletHealthy || !node.isReachable) return false;
  if (node.isReady === undefined) return true; // an API server that is only busy will be told in a moment
  return node.isReady && node.heartbeatMs !== undefined && isFromAfter(node.heartbeatMs, watch.kubeletSinceMs, nowMs);
}

interface HealthProblem {
  code: ReasonCode;
  reason: string;
  /** It does not get better by itself. */
  isFinal?: boolean;
  /** It was so before the change, or nobody can know: waited for without an end, or while the API server is silent, for long. */
  patience?: 'endless' | 'long' | undefined;
}

function isOver({ patience }: HealthProblem, { badForMs, silentForMs }: HealthHistory, readyWithinMs: number): boolean {
  if (patience === 'endless') return false;
  return patience === 'long' ? silentForMs >= SILENT_WITHIN_MS : badForMs >= readyWithinMs;
}

/** From the inside out: the first that is wrong explains the others. */
function findProblem(reading: HealthSample, watch: Watch, isReadyRequired: boolean): HealthProblem | undefined {
  for (const unit of watch.units) {
    const state = reading.units.get(unit)?.state ?? 'absent';
    if (state === 'active' || state === 'done') continue;
    return { code: 'verify/unit-failed', reason: `${unit} is ${state}`, isFinal: state === 'failed' };
  }
  if (watch.units.includes(CONTAINERD) && !reading.doesRuntimeAnswer) {
    return { code: 'verify/runtime-silent', reason: 'nothing answers on the socket of containerd' };
  }
  if (!watch.units.includes(KUBELET)) return undefined;
  if (!reading.isKubeletHealthy) return { code: 'verify/kubelet-unhealthy', reason: 'kubelet is not healthy' };
  const other = reading.kubeletConfig && firstDifference(watch.kubeletConfig, reading.kubeletConfig);
  if (other !== undefined) {
    return { code: 'verify/kubelet-unhealthy', reason: `kubelet does not say that ${other} is as planned` };
  }
  return isReadyRequired ? findNodeProblem(reading.node, watch, reading.nowMs) : undefined;
}

function findNodeProblem(node: NodeHealth, watch: Watch, nowMs: number): HealthProblem | undefined {
  if (!node.isReachable) return silence(watch);
  if (node.isReady === undefined) {
    return { code: 'verify/running', reason: 'the API server cannot say now how the node is', patience: 'endless' };
  }
  const patience = watch.wasNotReady ? 'endless' : undefined;
  const code = 'verify/node-not-ready';
  if (node.heartbeatMs === undefined) return { code, reason: 'the node has not registered', patience };
  if (!node.isReady)
    return { code, reason: `the node is not Ready${patience ? ', as before the change' : ''}`, patience };
  if (isFromAfter(node.heartbeatMs, watch.kubeletSinceMs, nowMs)) return undefined;
  return { code, reason: 'the node was Ready before the change; kubelet has not said so since' };
}

function silence({ wasApiReachable, wasApiReachableEarlier }: Watch): HealthProblem {
  const code = 'verify/api-unreachable';
  if (wasApiReachable) return { code, reason: 'the API server answered before the change and does not any more' };
  return wasApiReachableEarlier
    ? { code, reason: 'the API server answered before this boot and has not since the change', patience: 'long' }
    : { code: 'verify/running', reason: 'the API server does not answer, as before the change', patience: 'endless' };
}

/** Heartbeats are written in whole seconds. A start that lies ahead was told by a clock that has been set since. */
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
  // Kept on this look's clock, so that one that was set does not make them older or younger.
  const shiftMs = before === undefined ? 0 : nowMs - passedMs - before.lastLookMs;
  const kept = (before?.restarts ?? []).map((one) => ({ ...one, atMs: one.atMs + shiftMs }));
  const added = watch.units.map((unit) => {
    const total = units.get(unit)?.restarts ?? 0;
    const last = kept.findLast((one) => one.unit === unit)?.total;
    // What was before the first look may be weeks old; a start by hand begins a new count.
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

/** Only what is planned: kubelet fills in the rest, and writes durations and quantities its own way. */
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

/** Numbers, booleans and names are said as they are; texts with digits may be written another way. */
function isAlike(planned: Json, seen: Json | undefined): boolean {
  if (typeof planned === 'string') return typeof seen === 'string' && (/\d/.test(planned) || planned === seen);
  if (planned === null || typeof planned === 'object') return true;
  return planned === seen;
}
