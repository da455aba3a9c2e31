// cluster/drain/which-pods.ts: which pods does a drain evict, skip or refuse?

export interface DrainPod {
  /** Kind of the controller; absent: nothing would recreate the pod. */
  ownerKind?: string;
  /** Absent: unknown, assumed to exist. */
  ownerExists?: boolean;
  /** A static pod, from a file on the node's disk. */
  isMirror: boolean;
  hasEmptyDir?: boolean;
  phase: string;
  deletionMs?: number;
}

export interface DrainFilter {
  /** Also evict pods that nothing would recreate. */
  isForced: boolean;
  /** Data in emptyDir volumes is lost when a pod moves; false refuses these pods. Default true. */
  deleteEmptyDir?: boolean;
  /** Skip pods whose deletion was due before this time: their kubelet will not terminate them. */
  deletedBeforeMs?: number;
}

export interface PodWithReason<P> {
  pod: P;
  reason: string;
}

export interface PodClasses<P> {
  evict: P[];
  skip: PodWithReason<P>[];
  /** Any of these stops the drain before the first eviction. */
  refuse: PodWithReason<P>[];
}

/** The filters of `kubectl drain --ignore-daemonsets`, in its order: the first that matches decides. */
export function classifyPods<P extends DrainPod>(pods: readonly P[], filter: DrainFilter): PodClasses<P> {
  const classified: PodClasses<P> = { evict: [], skip: [], refuse: [] };
  for (const pod of pods) {
    const verdict = FILTERS.map((judge) => judge(pod, filter)).find((answer) => answer !== undefined);
    if (!verdict) classified.evict.push(pod);
    else classified[verdict.fate].push({ pod, reason: verdict.reason });
  }
  return classified;
}

type Verdict = { fate: 'skip' | 'refuse'; reason: string } | undefined;
type Filter = (pod: DrainPod, filter: DrainFilter) => Verdict;

const FILTERS: readonly Filter[] = [longDeleted, ofDaemonSet, mirror, withEmptyDir, uncontrolled];

function longDeleted(pod: DrainPod, { deletedBeforeMs }: DrainFilter): Verdict {
  if (pod.deletionMs === undefined || deletedBeforeMs === undefined) return undefined;
  return pod.deletionMs < deletedBeforeMs ? { fate: 'skip', reason: 'its deletion is long overdue' } : undefined;
}

function ofDaemonSet(pod: DrainPod, { isForced }: DrainFilter): Verdict {
  if (pod.ownerKind !== 'DaemonSet' || isFinished(pod)) return undefined;
  if (pod.ownerExists !== false) return { fate: 'skip', reason: 'its DaemonSet would recreate it at once' };
  return isForced ? undefined : { fate: 'refuse', reason: 'its DaemonSet is gone: nothing would recreate it' };
}

function mirror(pod: DrainPod): Verdict {
  return pod.isMirror ? { fate: 'skip', reason: 'a static pod: only the node itself can stop it' } : undefined;
}

function withEmptyDir(pod: DrainPod, { deleteEmptyDir = true }: DrainFilter): Verdict {
  if (!pod.hasEmptyDir || isFinished(pod) || deleteEmptyDir) return undefined;
  return { fate: 'refuse', reason: 'its emptyDir data would be lost' };
}

function uncontrolled(pod: DrainPod, { isForced }: DrainFilter): Verdict {
  if (pod.ownerKind !== undefined || isFinished(pod) || isForced) return undefined;
  return { fate: 'refuse', reason: 'nothing would recreate it' };
}

export function isFinished({ phase }: DrainPod): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
