// cluster/drain-filters.ts: which pods does a drain move, which does it leave alone, and which forbid it altogether?
import type { Pod } from './cluster.ts';

export interface DrainFilter {
  /** Also pods that nothing would bring back. */
  isForced: boolean;
  /** What pods keep in emptyDir volumes is lost when they move; false refuses such pods. Default true. */
  deleteEmptyDir?: boolean;
  /** Pods whose deletion was due before this instant are not waited for: their kubelet will not answer. */
  deletedBeforeMs?: number;
}

export interface Held {
  pod: Pod;
  reason: string;
}

export interface Classified {
  evict: Pod[];
  skip: Held[];
  /** Any of these stops the drain before the first eviction. */
  refuse: Held[];
}

/** The filters of `kubectl drain --ignore-daemonsets`, in its order: the first that holds a pod decides. */
export function classifyPods(pods: readonly Pod[], filter: DrainFilter): Classified {
  const classified: Classified = { evict: [], skip: [], refuse: [] };
  for (const pod of pods) {
    const verdict = FILTERS.map((judge) => judge(pod, filter)).find((answer) => answer !== undefined);
    if (!verdict) classified.evict.push(pod);
    else classified[verdict.fate].push({ pod, reason: verdict.reason });
  }
  return classified;
}

type Verdict = { fate: 'skip' | 'refuse'; reason: string } | undefined;
type Filter = (pod: Pod, filter: DrainFilter) => Verdict;

const FILTERS: readonly Filter[] = [longDeleted, ofDaemonSet, mirror, withEmptyDir, uncontrolled];

function longDeleted(pod: Pod, { deletedBeforeMs }: DrainFilter): Verdict {
  if (pod.deletionMs === undefined || deletedBeforeMs === undefined) return undefined;
  return pod.deletionMs < deletedBeforeMs ? { fate: 'skip', reason: 'its deletion is long overdue' } : undefined;
}

function ofDaemonSet(pod: Pod, { isForced }: DrainFilter): Verdict {
  if (pod.ownerKind !== 'DaemonSet' || isFinished(pod)) return undefined;
  if (pod.ownerExists) return { fate: 'skip', reason: 'a DaemonSet would put it back at once' };
  return isForced ? undefined : { fate: 'refuse', reason: 'its DaemonSet is gone: nothing would bring it back' };
}

function mirror(pod: Pod): Verdict {
  return pod.isMirror ? { fate: 'skip', reason: 'a static pod: only the node itself can end it' } : undefined;
}

function withEmptyDir(pod: Pod, { deleteEmptyDir = true }: DrainFilter): Verdict {
  if (!pod.hasEmptyDir || isFinished(pod) || deleteEmptyDir) return undefined;
  return { fate: 'refuse', reason: 'its emptyDir data would be lost' };
}

function uncontrolled(pod: Pod, { isForced }: DrainFilter): Verdict {
  if (pod.ownerKind !== undefined || isFinished(pod) || isForced) return undefined;
  return { fate: 'refuse', reason: 'nothing would bring it back' };
}

function isFinished(pod: Pod): boolean {
  return pod.phase === 'Succeeded' || pod.phase === 'Failed';
}
