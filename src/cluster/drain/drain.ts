// cluster/drain/drain.ts: moves workloads off a node. The decisions are in which-pods.ts and next-evictions.ts.
import type { Clock } from '../../base/clock.ts';
import { TransientError, UserError } from '../../base/errors.ts';
import type { Cluster, Pod } from '../cluster.ts';
import { EVICTION_RETRY_MS, type Eviction, type EvictionAttempt, nextEvictions } from './next-evictions.ts';
import { classifyPods, type DrainFilter, type PodWithReason } from './which-pods.ts';

export interface DrainOptions extends Pick<DrainFilter, 'isForced' | 'deleteEmptyDir'> {
  /** undefined: each pod's own. A number overrides it, also if it is shorter. */
  graceSeconds: number | undefined;
  /** Default: three times the grace period. */
  timeoutMs?: number;
}

export interface DrainNodeDeps {
  clock: Clock;
  signal?: AbortSignal;
  onWaiting?: (what: string, percent?: number) => void;
}

/**
 * Moves the pods that are on the node at the start, as kubectl does; cordon the node first. Pods that come later are left to the
 * next call. No state is kept: after an interrupt the same call continues with the remaining pods.
 */
export async function drainNode(
  cluster: Cluster,
  nodeName: string,
  options: DrainOptions,
  deps: DrainNodeDeps,
): Promise<void> {
  const { clock, signal, onWaiting } = deps;
  const { evict, refuse } = classifyPods(await cluster.listPods(nodeName, signal), options);
  if (refuse.length > 0) throw refused(nodeName, refuse);
  const wanted = new Set(evict.map((pod) => pod.uid));
  const attempts = new Map<string, EvictionAttempt>();
  const { isForced, graceSeconds, timeoutMs = drainTimeoutMs(graceSeconds) } = options;
  const limits = { isForced, graceSeconds, timeoutMs };
  const startedMs = clock.nowMs();
  let pods = evict;
  while (pods.length > 0) {
    signal?.throwIfAborted();
    const turn = nextEvictions({ startedMs, pods, attempts }, limits, clock.nowMs());
    if (turn.blocked.length > 0) throw blocked(nodeName, turn.blocked);
    for (const pod of turn.evict) note(pod, await attempt(() => cluster.evict(pod, options.graceSeconds, signal)));
    for (const pod of turn.remove) {
      const eviction = await attempt(() => cluster.deletePod(pod, 0, signal).then(() => ({ outcome: 'evicted' })));
      note(pod, eviction, { isForced: true });
    }
    // After evictions alone do not wait: most pods of a quiet node are gone in the next list.
    if (turn.waiting.length > 0) {
      onWaiting?.(describe(turn.waiting), Math.floor((100 * (wanted.size - pods.length)) / wanted.size));
      await clock.sleep(Math.max(1, turn.lookAgainMs - clock.nowMs()), signal);
    }
    pods = (await list()).filter((pod) => wanted.has(pod.uid));
  }

  function note(pod: Pod, eviction: Eviction, mark: { isForced?: true } = {}): void {
    if (eviction.outcome !== 'gone') attempts.set(pod.uid, { atMs: clock.nowMs(), eviction, ...mark });
  }

  /** If a list fails, the previous one is used: only the deadline ends a drain, not a transient failure. */
  async function list(): Promise<readonly Pod[]> {
    try {
      return await cluster.listPods(nodeName, signal);
    } catch (error) {
      if (!(error instanceof TransientError) || clock.nowMs() >= startedMs + limits.timeoutMs) throw error;
      onWaiting?.(error.message);
      await clock.sleep(EVICTION_RETRY_MS, signal);
      return pods;
    }
  }
}

/** 15 minutes with the documented default of 300 s. */
export function drainTimeoutMs(graceSeconds: number | undefined): number {
  return 3 * Math.max(graceSeconds ?? 300, 20) * 1000;
}

async function attempt(call: () => Promise<Eviction>): Promise<Eviction> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    return { outcome: 'blocked', reason: error.message };
  }
}

function refused(nodeName: string, held: readonly PodWithReason<Pod>[]): UserError {
  return new UserError(`${nodeName} cannot be drained: ${describe(held)}`, {
    code: 'prototype/drain-refused',
    kept: 'No pod was evicted.',
    next: 'move these pods yourself, or run again with --drain-force, which deletes them',
    exitCode: 1,
  });
}

function blocked(nodeName: string, held: readonly PodWithReason<Pod>[]): UserError {
  return new UserError(`could not drain ${nodeName}: ${describe(held)}`, {
    code: 'prototype/drain-blocked',
    kept: 'Evicted pods stay on their new nodes.',
    next: 'raise the budget or delete the pod, then run the same command again; --drain-force deletes pods that stay',
    exitCode: 1,
  });
}

const NAMED = 5;

/** `2 pods: payments/ledger-0 (budget allows 0), shop/cart-1 (terminating)`. */
function describe(held: readonly PodWithReason<Pod>[]): string {
  const named = held.slice(0, NAMED).map(({ pod, reason }) => `${pod.namespace}/${pod.name} (${reason})`);
  const more = held.length > NAMED ? ` and ${held.length - NAMED} more` : '';
  return `${held.length} ${held.length === 1 ? 'pod' : 'pods'}: ${named.join(', ')}${more}`;
}
