// prototype/run/prior.ts: what was the donor's state before the run? Exactly that state is restored.
import type { Node, NodeChange } from '../../cluster/cluster.ts';
import type { Instance, Protection } from '../../vms/pools.ts';
import {
  AUTOSCALER_ANNOTATION,
  DRAINED_ANNOTATION,
  KARPENTER_ANNOTATION,
  PRIOR_ANNOTATION,
  SEALED_ANNOTATION,
  STOPPED_ANNOTATION,
} from '../names.ts';

/** The previous state of everything that a run changes on a node or its instance. */
export interface Prior {
  /** The run that recorded it. Any other run has to restore this donor first. */
  run: string;
  instanceId: string;
  vmId: string;
  isUnschedulable: boolean;
  /** Previous values of the annotations that the guard sets; null: not set. */
  annotations: Record<string, string | null>;
  protection: Protection;
  /** The annotation cannot be read: what the other fields say is not known. */
  isDamaged?: true;
}

const GUARDS = [AUTOSCALER_ANNOTATION, KARPENTER_ANNOTATION];
const UNGUARDED = Object.fromEntries(GUARDS.map((key) => [key, null]));

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

/** undefined: the node is in service. An annotation that cannot be read still marks a donor. */
export function readPrior(node: Node | undefined): Prior | undefined {
  const text = node?.annotations[PRIOR_ANNOTATION];
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Prior;
    if (isComplete(value)) return { ...value, annotations: value.annotations ?? UNGUARDED };
  } catch {
    // fall through: the annotation was edited
  }
  return UNREADABLE;
}

/** An edited annotation may have lost a part; what is left then proves nothing. */
function isComplete({ run, isUnschedulable, annotations, protection }: Partial<Prior>): boolean {
  return (
    typeof run === 'string' &&
    typeof isUnschedulable === 'boolean' &&
    (annotations === undefined || (typeof annotations === 'object' && annotations !== null)) &&
    typeof protection?.fromScaleIn === 'boolean' &&
    typeof protection.fromPoolActions === 'boolean'
  );
}

/** Only marks a donor. Nothing that it was in service is known, so nothing of the node's state may be undone from it. */
const UNREADABLE: Prior = {
  run: '',
  instanceId: '',
  vmId: '',
  isUnschedulable: true,
  annotations: {},
  protection: { fromScaleIn: false, fromPoolActions: false },
  isDamaged: true,
};

/** The protection to restore: from the annotation, or from the tag on the instance if the annotation is missing or damaged. */
export function priorProtection(prior: Prior | undefined, mark: string | undefined): Protection | undefined {
  const known = prior?.isDamaged ? undefined : prior?.protection;
  return known ?? readDonorMark(mark)?.protection ?? prior?.protection;
}

/**
 * The tag on the instance: enough to restore it if its Node object was deleted with its annotations.
 * A tag value has at most 256 characters, and a tag name no slash.
 */
export function donorMark({ run, protection }: Prior): string {
  return `${run} ${Number(protection.fromScaleIn)}${Number(protection.fromPoolActions)}`;
}

export function readDonorMark(mark: string | undefined): Pick<Prior, 'run' | 'protection'> | undefined {
  if (mark === undefined) return undefined;
  const [run = '', flags = ''] = mark.split(' ');
  return { run, protection: { fromScaleIn: flags[0] === '1', fromPoolActions: flags[1] === '1' } };
}

/** Neither the annotation nor the tag says which protection the instance had: it gets none, so that it is not protected for ever. */
export function isProtectionLost(prior: Prior | undefined, mark: string | undefined): boolean {
  const isOut = prior !== undefined || mark !== undefined;
  return isOut && (prior === undefined || prior.isDamaged === true) && !/^\S+ [01]{2}$/.test(mark ?? '');
}

export function recordChange(prior: Prior): NodeChange {
  return { annotations: { [PRIOR_ANNOTATION]: JSON.stringify(prior) } };
}

/** Written before the stop; undefined if the node reports no boot id. */
export function stoppedChange({ bootId }: Node, nowMs: number): NodeChange | undefined {
  return bootId === undefined ? undefined : { annotations: { [STOPPED_ANNOTATION]: `${bootId} ${nowMs}` } };
}

/** A stop may take 90 s, and by default the cluster keeps a silent node Ready for 50 s. After this time the status is current. */
const STALE_STATUS_MS = 240_000;

/**
 * Whether the node's status may still be from the boot that the run stopped: a stop, a copy and a start can finish before the
 * cluster notices. It is current if the boot id differs, or if so much time has passed that the stop cannot have happened.
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

/**
 * One patch, so that the node is restored and our annotations are removed together or not at all. If the previous state is not known, the
 * node stays cordoned and guarded as it is: its owner may have cordoned it, and only a person can tell.
 */
export function restoreChange(prior: Prior): NodeChange {
  return {
    ...(!prior.isDamaged && { isUnschedulable: prior.isUnschedulable }),
    annotations: {
      ...prior.annotations,
      [PRIOR_ANNOTATION]: null,
      [DRAINED_ANNOTATION]: null,
      [SEALED_ANNOTATION]: null,
      [STOPPED_ANNOTATION]: null,
    },
  };
}

/** What a person has to decide after the restore; undefined: the node is as it was. */
export function restoreWarning(prior: Prior, { name, isUnschedulable, annotations }: Node): string | undefined {
  if (!prior.isDamaged) return undefined;
  const guards = GUARDS.filter((key) => annotations[key] !== undefined);
  const commands = [
    ...(isUnschedulable ? [`kubectl uncordon ${name}`] : []),
    ...(guards.length > 0 ? [`kubectl annotate node ${name} ${guards.map((key) => `${key}-`).join(' ')}`] : []),
  ];
  if (commands.length === 0) return undefined;
  return `the recorded state of ${name} cannot be read, so the node stays ${isUnschedulable ? 'cordoned' : 'guarded'}; if it was in service before the run: ${commands.join(' && ')}`;
}
