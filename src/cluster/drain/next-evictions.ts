// cluster/drain/next-evictions.ts: given what has become of each pod so far, what does the drain do now, and when does it look again?
import type { PodWithReason } from './which-pods.ts';

/** What an order to leave came to. */
export type Eviction =
  | { outcome: 'evicted' }
  | { outcome: 'gone' }
  /** A disruption budget says not now. */
  | { outcome: 'blocked'; reason: string; retryAfterMs?: number }
  /** It will never be allowed (two budgets select the pod). */
  | { outcome: 'stuck'; reason: string };

export interface LeavingPod {
  uid: string;
  deletionMs?: number;
  graceSeconds?: number;
}

export interface DrainLimits {
  isForced: boolean;
  /** undefined = each pod's own. */
  graceSeconds: number | undefined;
  /** From the first eviction on. */
  timeoutMs: number;
}

/** What the last eviction of a pod came to. */
export interface EvictionAttempt {
  atMs: number;
  eviction: Exclude<Eviction, { outcome: 'gone' }>;
  /** It was deleted past its budget; that is not done twice in a row. */
  isForced?: boolean;
}

export interface DrainState<P> {
  startedMs: number;
  /** Still on the node, as just listed. */
  pods: readonly P[];
  /** By uid. */
  tried: ReadonlyMap<string, EvictionAttempt>;
}

export interface DrainActions<P> {
  evict: P[];
  /** Past budgets and graces. */
  remove: P[];
  waiting: PodWithReason<P>[];
  /** It cannot end well: these are in the way. */
  blocked: PodWithReason<P>[];
  lookAgainMs: number;
}

/** What kubectl waits before it asks for a blocked pod again, unless the server says how long. */
export const EVICTION_RETRY_MS = 5_000;
/** However little the server asks for: no hot loop. */
const SHORTEST_RETRY_MS = 1_000;
export const POLL_MS = 2_000;
/** A kubelet that lets a grace period pass by this much is not going to end the pod. */
export const OVERDUE_MS = 30_000;
/** What Kubernetes gives a pod that names none. */
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
    const tried = state.tried.get(pod.uid);
    const isHopeless = tried?.eviction.outcome === 'stuck' || isLate;
    if (limits.isForced && (isHopeless || isOverdue(pod, tried, limits, nowMs))) {
      // Deleted without grace and still there: a finalizer holds it, and waiting has to end somewhere.
      if (nowMs >= endsMs + OVERDUE_MS) turn.blocked.push({ pod, reason: 'deleted by force, and still there' });
      else turn.waiting.push({ pod, reason: 'deleted by force' });
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
  // Accepted, and yet not on its way out: the API server that accepted it may have been restored from a backup.
  return (
    tried.eviction.outcome === 'evicted' && pod.deletionMs === undefined && nowMs >= tried.atMs + EVICTION_RETRY_MS
  );
}

/** Counted from when we asked, on our clock: the deletion time on the pod is on the server's. */
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
  if (pod.deletionMs !== undefined) return 'it is ending';
  return tried ? 'it was evicted but has not begun to end' : 'not asked yet';
}
