// node/daemon/drain-self.ts: how does a node empty itself before a change that its pods would not survive? With its own credential: it may
// cordon itself and evict what runs on it, and disruption budgets are honoured as for anybody else.
import type { Clock } from '../../base/clock.ts';
import { ApiFailure } from '../api-server.ts';
import type { OwnNode, OwnPod } from '../own-node.ts';

export interface DrainEdges {
  node: OwnNode;
  clock: Clock;
}

/** On the Node while it is we who cordoned it: a node that others cordoned stays so. */
export const CORDONED = 'headstart.dev/cordoned-for-config';

const DEADLINE_MS = 15 * 60_000;
const POLL_MS = 2000;
const TOO_MANY = 429;
const NOT_FOUND = 404;

/** Rejects when a pod could not be moved away in time; the node is then as it was found. */
export async function drainSelf({ node, clock }: DrainEdges, signal?: AbortSignal): Promise<void> {
  const found = await node.get();
  if (found === undefined) return; // not registered: nothing runs here
  if (!found.isUnschedulable) await node.cordon({ isCordoned: true, annotations: { [CORDONED]: 'yes' } });
  try {
    await evictAll(node, clock, signal);
  } catch (error) {
    await uncordonSelf({ node, clock });
    throw error;
  }
}

/** Only what we cordoned. */
export async function uncordonSelf({ node }: DrainEdges): Promise<void> {
  const found = await node.get();
  if (found?.annotations[CORDONED] === undefined) return;
  await node.cordon({ isCordoned: false, annotations: { [CORDONED]: null } });
}

async function evictAll(node: OwnNode, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  const untilMs = clock.nowMs() + DEADLINE_MS;
  for (;;) {
    signal?.throwIfAborted();
    const left = (await node.pods()).filter(isToBeMoved);
    if (left.length === 0) return;
    if (clock.nowMs() >= untilMs) {
      const names = left.slice(0, 3).map(({ namespace, name }) => `${namespace}/${name}`);
      throw new ApiFailure(
        `${left.length} pods are still here after ${DEADLINE_MS / 60_000} minutes: ${names.join(', ')}`,
      );
    }
    for (const pod of left) if (!pod.isTerminating) await evict(node, pod);
    await clock.sleep(POLL_MS, signal);
  }
}

/** Pods of DaemonSets come back at once, mirror pods are files on this disk, and what has ended disturbs nobody. */
function isToBeMoved({ isOfDaemonSet, isMirror, phase }: OwnPod): boolean {
  return !isOfDaemonSet && !isMirror && phase !== 'Succeeded' && phase !== 'Failed';
}

/** A budget that allows none now may do so in a moment. */
async function evict(node: OwnNode, pod: OwnPod): Promise<void> {
  try {
    await node.evict(pod);
  } catch (error) {
    if (!(error instanceof ApiFailure) || (error.status !== TOO_MANY && error.status !== NOT_FOUND)) throw error;
  }
}
