// node/daemon/drain-self.ts: how does a node empty itself before a change that its pods would not survive? With its own credential: it may
// cordon itself and evict what runs on it, and disruption budgets are honoured as for anybody else.
import type { Clock } from '../../base/clock.ts';
import { classifyPods, isFinished } from '../../cluster/drain/which-pods.ts';
import { ApiFailure } from '../api/api-server.ts';
import type { OwnNode, OwnPod } from '../api/own-node.ts';

export interface SelfDrainDeps {
  node: OwnNode;
  clock: Clock;
}

/** On the Node while it is we who cordoned it: a node that others cordoned stays so. */
export const CORDONED = 'headstart.dev/cordoned-for-config';

const DEADLINE_MS = 15 * 60_000;
const POLL_MS = 2000;
const UNAUTHORIZED = 401;
const NOT_FOUND = 404;
const TOO_MANY = 429;

/** Rejects when a pod could not be moved away in time; the node is then as it was found. */
export async function drainSelf({ node, clock }: SelfDrainDeps, signal?: AbortSignal): Promise<void> {
  const patience: RetryLimits = { clock, untilMs: clock.nowMs() + DEADLINE_MS, signal };
  const found = await retry(() => node.get(), patience);
  if (found === undefined) return; // not registered: nothing runs here
  if (!found.isUnschedulable)
    await retry(() => node.cordon({ isCordoned: true, annotations: { [CORDONED]: 'yes' } }), patience);
  try {
    await evictAll(node, patience);
  } catch (error) {
    await uncordonSelf({ node, clock });
    throw error;
  }
}

/** Only what we cordoned. */
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

async function evictAll(node: OwnNode, patience: RetryLimits): Promise<void> {
  const { clock, untilMs, signal } = patience;
  for (;;) {
    signal?.throwIfAborted();
    const left = podsToEvict(await retry(() => node.pods(), patience));
    if (left.length === 0) return;
    if (clock.nowMs() >= untilMs) throw podsRemain(left);
    for (const pod of left) if (!pod.isTerminating) await evict(node, pod);
    await clock.sleep(POLL_MS, signal);
  }
}

/** Again, until there is an answer or no more time for one. */
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

/** A budget that allows none now may do so in a moment; a pod that is gone needs nothing. */
async function evict(node: OwnNode, pod: OwnPod): Promise<void> {
  try {
    await node.evict(pod);
  } catch (error) {
    if (!isTransient(error) && !(error instanceof ApiFailure && error.status === NOT_FOUND)) throw error;
  }
}

/** The API server is away, overloaded or not well; or kubelet's certificate is just being renewed. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof ApiFailure)) return false;
  const { status } = error;
  return status === undefined || status === UNAUTHORIZED || status === TOO_MANY || status >= 500;
}

function podsRemain(pods: readonly OwnPod[]): ApiFailure {
  const names = pods.slice(0, 3).map(({ namespace, name }) => `${namespace}/${name}`);
  return new ApiFailure(
    `${pods.length} pods are still here after ${DEADLINE_MS / 60_000} minutes: ${names.join(', ')}`,
  );
}

/** By force: the document asks for a change that no pod survives. What has ended is in nobody's way. */
function podsToEvict(pods: readonly OwnPod[]): OwnPod[] {
  return classifyPods(
    pods.filter((pod) => !isFinished(pod)),
    { isForced: true },
  ).evict;
}
