// cluster/drain/next-evictions.ts: given the attempts so far, which pods does a drain evict or delete now, and when does it list again?
import type { PodWithReason } from './which-pods.ts';

/** The result of an eviction request. */
export type Eviction =
  | { outcome: 'evicted' }
  | { outcome: 'gone' }
  /** A disruption budget blocks it for now. */
  | { outcome: 'blocked'; reason: string; retryAfterMs?: number }
  /** It will never succeed (two budgets select the pod). */
  | { outcome: 'stuck'; reason: string };

export interface LeavingPod {
  uid: string;
  deletionMs?: number;
  graceSeconds?: number;
}

export interface DrainLimits {
  isForced: boolean;
  /** undefined: each pod's own. */
  graceSeconds: number | undefined;
  /** From the first eviction on. */
  timeoutMs: number;
}

/** The last attempt to evict a pod. */
export interface EvictionAttempt {
  atMs: number;
  eviction: Exclude<Eviction, { outcome: 'gone' }>;
  /** It was deleted in spite of its budget; the next deletion waits for EVICTION_RETRY_MS. */
  isForced?: boolean;
}

export interface DrainState<P> {
  startedMs: number;
  /** Still on the node, as just listed. */
  pods: readonly P[];
  /** By uid. */
  attempts: ReadonlyMap<string, EvictionAttempt>;
}

export interface DrainActions<P> {
  evict: P[];
  /** Delete without budgets and grace periods. */
  remove: P[];
  waiting: PodWithReason<P>[];
  /** These pods make the drain fail. */
  blocked: PodWithReason<P>[];
  lookAgainMs: number;
}

/** kubectl's pause before it retries a blocked eviction, unless the server gives one. */
export const EVICTION_RETRY_MS = 5_000;
/** Prevents a hot loop if the server requests a shorter pause. */
const SHORTEST_RETRY_MS = 1_000;
export const POLL_MS = 2_000;
/** If a pod exceeds its grace period by this much, kubelet will not terminate it. */
export const OVERDUE_MS = 30_000;
/** The default of Kubernetes. */
const DEFAULT_GRACE_SECONDS = 30;

export function nextEvictions<P extends LeavingPod>(
  state: DrainState<P>,
  limits: DrainLimits,
  nowMs: number,
): DrainActions<P> {
  const endsMs = state.startedMs + limits.timeoutMs;
  const lookAgainMs = Math.min(nowMs + POLL_MS, endsMs);
  const turn: DrainActions<P> = { evict: [], remove: [], waiting: [], blocked: [], lookAgainMs };
  const isLate = nowMs >= endsMs;
  for (const pod of state.pods) {
    const tried = state.attempts.get(pod.uid);
    const isHopeless = tried?.eviction.outcome === 'stuck' || isLate;
    if (limits.isForced && (isHopeless || isOverdue(pod, tried, limits, nowMs))) {
      // Deleted without grace but still present: a finalizer holds it, and the wait has to end.
      if (nowMs >= endsMs + OVERDUE_MS) turn.blocked.push({ pod, reason: 'force-deleted but still present' });
      else turn.waiting.push({ pod, reason: 'force-deleted' });
      if (!tried?.isForced || nowMs >= tried.atMs + EVICTION_RETRY_MS) turn.remove.push(pod);
    } else if (isHopeless) {
      turn.blocked.push({ pod, reason: whyStillHere(pod, tried) });
    } else if (isDue(pod, tried, nowMs)) {
      turn.evict.push(pod);
    } else {
      turn.waiting.push({ pod, reason: whyStillHere(pod, tried) });
    }
  }
  if (isLate) turn.lookAgainMs = nowMs + POLL_MS;
  return turn;
}

function isDue(pod: LeavingPod, tried: EvictionAttempt | undefined, nowMs: number): boolean {
  if (!tried) return true;
  if (tried.eviction.outcome === 'blocked') {
    return nowMs >= tried.atMs + Math.max(tried.eviction.retryAfterMs ?? EVICTION_RETRY_MS, SHORTEST_RETRY_MS);
  }
  // The eviction was accepted but the pod is not terminating: the API server may have been restored from a backup.
  return (
    tried.eviction.outcome === 'evicted' && pod.deletionMs === undefined && nowMs >= tried.atMs + EVICTION_RETRY_MS
  );
}

/** Counted from our request on our clock, because the pod's deletion time is on the server's clock. */
function isOverdue(
  pod: LeavingPod,
  tried: EvictionAttempt | undefined,
  { graceSeconds }: DrainLimits,
  nowMs: number,
): boolean {
  if (tried?.eviction.outcome !== 'evicted') return false;
  const graceMs = (graceSeconds ?? pod.graceSeconds ?? DEFAULT_GRACE_SECONDS) * 1000;
  return nowMs > tried.atMs + graceMs + OVERDUE_MS;
}

function whyStillHere(pod: LeavingPod, tried: EvictionAttempt | undefined): string {
  if (tried && tried.eviction.outcome !== 'evicted') return tried.eviction.reason;
  if (pod.deletionMs !== undefined) return 'terminating';
  return tried ? 'evicted but not terminating yet' : 'not evicted yet';
}
