// prototype/run/prior.ts: what did the donor look like before the run, so that exactly that is restored and not what we suppose?
import type { Node, NodeChange } from '../../cluster/cluster.ts';
import type { Instance, Protection } from '../../vms/pools.ts';
import {
  AUTOSCALER_ANNOTATION,
  KARPENTER_ANNOTATION,
  PRIOR_ANNOTATION,
  SEALED_ANNOTATION,
  STOPPED_ANNOTATION,
} from '../names.ts';

/** Everything a run changes on a node or its instance, as it was found. */
export interface Prior {
  /** The run that changed it; another run finds a donor to bring home. */
  run: string;
  instanceId: string;
  vmId: string;
  isUnschedulable: boolean;
  /** Values of the annotations the guard sets; null = it was not there. */
  annotations: Record<string, string | null>;
  protection: Protection;
}

const GUARDS = [AUTOSCALER_ANNOTATION, KARPENTER_ANNOTATION];

export function priorOf(node: Node, instance: Instance, run: string): Prior {
  return {
    run,
    instanceId: instance.ref.id,
    vmId: instance.vmId,
    isUnschedulable: node.isUnschedulable,
    annotations: Object.fromEntries(GUARDS.map((key) => [key, node.annotations[key] ?? null])),
    protection: instance.protection,
  };
}

/** The note on the node; undefined when it is in service. One that cannot be read is a donor all the same. */
export function readPrior(node: Node | undefined): Prior | undefined {
  const text = node?.annotations[PRIOR_ANNOTATION];
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Prior;
    if (typeof value.run === 'string' && typeof value.isUnschedulable === 'boolean') {
      return { ...UNREADABLE, ...value };
    }
  } catch {
    // fall through: somebody edited it
  }
  return UNREADABLE;
}

/** What is safe to restore when the note was damaged: an ordinary node in service. */
const UNREADABLE: Prior = {
  run: '',
  instanceId: '',
  vmId: '',
  isUnschedulable: false,
  annotations: Object.fromEntries(GUARDS.map((key) => [key, null])),
  protection: { fromScaleIn: false, fromPoolActions: false },
};

/**
 * The mark on the instance: enough to bring it home when its Node object, and the note on it, went away meanwhile.
 * Tags have room for 256 characters and no slash in their names.
 */
export function donorMark({ run, protection }: Prior): string {
  return `${run} ${Number(protection.fromScaleIn)}${Number(protection.fromPoolActions)}`;
}

export function readDonorMark(mark: string | undefined): Pick<Prior, 'run' | 'protection'> | undefined {
  if (mark === undefined) return undefined;
  const [run = '', flags = ''] = mark.split(' ');
  return { run, protection: { fromScaleIn: flags[0] === '1', fromPoolActions: flags[1] === '1' } };
}

export function recordChange(prior: Prior): NodeChange {
  return { annotations: { [PRIOR_ANNOTATION]: JSON.stringify(prior) } };
}

/** Written before the stop; undefined where the node does not tell its boots apart. */
export function stoppedChange({ bootId }: Node, nowMs: number): NodeChange | undefined {
  return bootId === undefined ? undefined : { annotations: { [STOPPED_ANNOTATION]: `${bootId} ${nowMs}` } };
}

/** A stop may take its 90 seconds, and a cluster believes a silent node for 50, or as long as it was told to; what it says later is true. */
const STALE_STATUS_MS = 240_000;

/**
 * What the cluster says of the node may still be of the boot that was ended: a stop, a copy and a start can be over before it notices. It is
 * not when the boot is another one, or when so much time has passed that the boot was never ended.
 */
export function isStaleStatus({ annotations, bootId }: Node, nowMs: number): boolean {
  const [endedId, atMs] = (annotations[STOPPED_ANNOTATION] ?? '').split(' ');
  return bootId !== undefined && bootId === endedId && Math.abs(nowMs - Number(atMs)) < STALE_STATUS_MS;
}

export function guardChange(): NodeChange {
  return { annotations: Object.fromEntries(GUARDS.map((key) => [key, 'true'])) };
}

export function isGuarded(node: Node): boolean {
  return GUARDS.every((key) => node.annotations[key] === 'true');
}

/** One patch: the node is as it was found and our notes are gone, or nothing has changed. */
export function restoreChange(prior: Prior): NodeChange {
  return {
    isUnschedulable: prior.isUnschedulable,
    annotations: {
      ...prior.annotations,
      [PRIOR_ANNOTATION]: null,
      [SEALED_ANNOTATION]: null,
      [STOPPED_ANNOTATION]: null,
    },
  };
}
