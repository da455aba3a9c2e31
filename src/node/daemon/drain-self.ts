// node/daemon/drain-self.ts: how does a node drain itself before a change that its pods would not survive? It uses
// kubelet's credential, which may cordon the node and evict its pods. Disruption budgets apply.
import type { Clock } from '../../base/clock.ts';
import { classifyPods, isFinished } from '../../cluster/drain/which-pods.ts';
import { ApiFailure } from '../api/api-server.ts';
import type { OwnNode, OwnPod } from '../api/own-node.ts';

export interface SelfDrainDeps {
  node: OwnNode;
  clock: Clock;
}

/** Annotation that marks our own cordon: a node that an operator cordoned stays cordoned. */
export const CORDONED = 'headstart.dev/cordoned-for-config';

const DEADLINE_MS = 15 * 60_000;
const POLL_MS = 2000;
const UNAUTHORIZED = 401;
const NOT_FOUND = 404;
const TOO_MANY = 429;

/** Rejects if a pod could not be evicted in time; the node is then uncordoned again if we cordoned it. */
export async function drainSelf({ node, clock }: SelfDrainDeps, signal?: AbortSignal): Promise<void> {
  const limits: RetryLimits = { clock, untilMs: clock.nowMs() + DEADLINE_MS, signal };
  const found = await retry(() => node.get(), limits);
  if (found === undefined) return; // not registered: no pods run here
  if (!found.isUnschedulable)
    await retry(() => node.cordon({ isCordoned: true, annotations: { [CORDONED]: 'yes' } }), limits);
  try {
    await evictAll(node, limits);
  } catch (error) {
    await uncordonSelf({ node, clock });
    throw error;
  }
}

/** Undoes only our own cordon. */
export async function uncordonSelf({ node }: SelfDrainDeps): Promise<void> {
  const found = await node.get();
  if (found?.annotations[CORDONED] === undefined) return;
  await node.cordon({ isCordoned: false, annotations: { [CORDONED]: null } });
}

interface RetryLimits {
  clock: Clock;
  untilMs: number;
  signal: AbortSignal | undefined;
}

async function evictAll(node: OwnNode, limits: RetryLimits): Promise<void> {
  const { clock, untilMs, signal } = limits;
  for (;;) {
    signal?.throwIfAborted();
    const left = podsToEvict(await retry(() => node.pods(), limits));
    if (left.length === 0) return;
    if (clock.nowMs() >= untilMs) throw podsRemain(left);
    for (const pod of left) if (!pod.isTerminating) await evict(node, pod);
    await clock.sleep(POLL_MS, signal);
  }
}

/** Retries transient failures until the deadline. */
async function retry<T>(ask: () => Promise<T>, { clock, untilMs, signal }: RetryLimits): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isTransient(error) || clock.nowMs() >= untilMs) throw error;
      await clock.sleep(POLL_MS, signal);
    }
  }
}

/** Ignores a blocked eviction, which the next round retries, and a pod that no longer exists. */
async function evict(node: OwnNode, pod: OwnPod): Promise<void> {
  try {
    await node.evict(pod);
  } catch (error) {
    if (!isTransient(error) && !(error instanceof ApiFailure && error.status === NOT_FOUND)) throw error;
  }
}

/** The API server is unreachable, overloaded or unhealthy, or kubelet is renewing its certificate. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return false;
  const { status } = error;
  return status === undefined || status === UNAUTHORIZED || status === TOO_MANY || status >= 500;
}

function podsRemain(pods: readonly OwnPod[]): ApiFailure {
  const names = pods.slice(0, 3).map(({ namespace, name }) => `${namespace}/${name}`);
  return new ApiFailure(
    `${pods.length} pods are still running after ${DEADLINE_MS / 60_000} minutes: ${names.join(', ')}`,
  );
}

/** Forced, because no pod survives the change. Finished pods do not matter. */
function podsToEvict(pods: readonly OwnPod[]): OwnPod[] {
  return classifyPods(
    pods.filter((pod) => !isFinished(pod)),
    { isForced: true },
  ).evict;
}
