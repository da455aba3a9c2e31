// node/plan/live.ts: which values of the running system must change, and what is restored when a value leaves the document?

import { renderPath } from '../../schema/problem.ts';
import type {
  DesiredState,
  LiveId,
  LiveKind,
  LiveValue,
  ObservedState,
  Ownership,
  PlannedChange,
  PlanStep,
} from '../desired/tree.ts';
import type { Problem } from '../document/problem.ts';
import { classNow, classOfLive } from './disruption.ts';
import type { UnitOutlook } from './units.ts';

export interface LiveChange {
  change: PlannedChange;
  kind: LiveKind;
  /** Undefined if only the control plane may apply it. */
  step: Extract<PlanStep, { do: 'set' | 'clear' }> | undefined;
}

export interface LivePlan {
  changes: LiveChange[];
  problems: Problem[];
  owned: Map<LiveId, { value: string; original: string | undefined; aspect: LiveValue['aspect'] }>;
}

export function planLive(
  desired: DesiredState,
  observed: ObservedState,
  ownership: Ownership,
  units: UnitOutlook,
): LivePlan {
  const plan: LivePlan = { changes: [], owned: new Map(), problems: [] };
  for (const [id, live] of desired.live) {
    const before = ownership.live.get(id);
    if (!isKnown(live.kind, observed)) {
      if (before !== undefined) plan.owned.set(id, before); // planned later, when the value can be read
      continue;
    }
    const seen = observed.live.get(id);
    const { kind, key, value, aspect } = live;
    const original = before === undefined ? originalOf(kind, seen, value) : before.original;
    plan.owned.set(id, { value, original, aspect });
    if (isSwitchedOn(kind, value) && !units.exists(key)) plan.problems.push(noSuchUnit(key));
    if (before === undefined && isPathTaken(live, observed)) plan.problems.push(pathTaken(key));
    if (isSatisfied(kind, seen, value)) continue;
    plan.changes.push(changeTo({ id, kind, key, aspect, seen, value, op: seen === undefined ? 'create' : 'update' }));
  }
  for (const [id, before] of ownership.live) {
    if (desired.live.has(id)) continue;
    const { kind, key } = parseId(id);
    if (!isKnown(kind, observed)) {
      plan.owned.set(id, before);
      continue;
    }
    const seen = observed.live.get(id) ?? (isLeftOver(kind, key, observed) ? 'off' : undefined);
    const back = restoredValue(kind, before.original);
    if (back === undefined || seen === undefined || isSatisfied(kind, seen, back.to)) continue;
    if (isSwitchedOn(kind, back.to) && !units.exists(key) && !units.isAboutToBeMasked(key)) {
      plan.owned.set(id, before); // planned later, when the unit is no longer masked
      continue;
    }
    const op = before.original === undefined ? 'remove' : 'restore';
    plan.changes.push(changeTo({ id, kind, key, aspect: before.aspect, seen, value: back.to, op }));
  }
  return plan;

  function changeTo(work: ValueToChange): LiveChange {
    const { id, kind, key, aspect, seen, value, op } = work;
    const nominal = classOfLive(kind, key);
    const now = classNow(nominal.class, observed.kubeletPhase);
    return {
      kind,
      step:
        now === 'C' ? undefined : value === undefined ? { do: 'clear', kind, key } : { do: 'set', kind, key, value },
      change: {
        aspect,
        what: id.trim(),
        op,
        class: now,
        why: now === nominal.class ? nominal.why : 'nothing that runs depends on it yet',
        isDrift: false, // onDrift covers files only; wrong live values are always corrected
        leaves: [],
        diff: { kind: 'value', from: seen, to: value },
      },
    };
  }
}

/** Creating a swap file would overwrite an existing file. */
function isPathTaken({ kind, key }: LiveValue, { files, live }: ObservedState): boolean {
  return kind === 'swap' && !live.has(`${kind} ${key}`) && (files.get(key)?.kind ?? 'absent') !== 'absent';
}

/** After a boot swap is off, but the file still exists. */
function isLeftOver(kind: LiveKind, key: string, { files }: ObservedState): boolean {
  return kind === 'swap' && (files.get(key)?.kind ?? 'absent') !== 'absent';
}

function pathTaken(path: string): Problem {
  return { reason: 'plan/obstructed', path, message: 'exists already; headstart does not replace it with a swap file' };
}

function noSuchUnit(unit: string): Problem {
  return {
    reason: 'config/invalid',
    path: renderPath(['spec', 'units', unit]),
    message: 'does not exist on this image and has no content',
  };
}

interface ValueToChange {
  id: LiveId;
  kind: LiveKind;
  key: string;
  aspect: LiveValue['aspect'];
  seen: string | undefined;
  /** Undefined = no value. */
  value: string | undefined;
  op: PlannedChange['op'];
}

/** False if the Node has not been read, or kubelet has not written its kubeconfig: there is nothing to compare with. */
function isKnown(kind: LiveKind, observed: ObservedState): boolean {
  if (kind === 'label' || kind === 'taint') return observed.isNodeKnown;
  return kind !== 'kubeconfig' || observed.hasCredential;
}

function isSwitchedOn(kind: LiveKind, value: string | undefined): boolean {
  return (kind === 'unit-enabled' || kind === 'unit-active') && value === 'yes';
}

/** A missing unit counts as off. `fixed` (cannot be enabled) and `done` (oneshot finished) satisfy both yes and no. */
function isSatisfied(kind: LiveKind, seen: string | undefined, value: string | undefined): boolean {
  if (kind !== 'unit-enabled' && kind !== 'unit-active') return seen === value;
  return (seen ?? 'no') === value || seen === 'fixed' || seen === 'done';
}

function originalOf(kind: LiveKind, seen: string | undefined, value: string): string | undefined {
  switch (kind) {
    case 'module':
    case 'kubeconfig':
    case 'firewall': // a table with our name is ours
      return undefined;
    case 'unit-enabled':
    case 'unit-active':
      return seen === 'yes' ? 'yes' : 'no';
    case 'label':
    case 'taint': // kubelet registers with them, so an equal value comes from us, not from the cluster
      return seen === value ? undefined : seen;
    default:
      return seen;
  }
}

/** Undefined: the value stays unchanged. */
function restoredValue(kind: LiveKind, original: string | undefined): { to: string | undefined } | undefined {
  switch (kind) {
    case 'module': // may be in use; it is gone after the next boot
    case 'kubeconfig': // kubelet needs one
      return undefined;
    case 'sysctl':
    case 'host-name':
    case 'mtu': // cannot be cleared, only set
      return original === undefined ? undefined : { to: original };
    default:
      return { to: original };
  }
}

function parseId(id: LiveId): { kind: LiveKind; key: string } {
  const space = id.indexOf(' ');
  return { kind: id.slice(0, space) as LiveKind, key: id.slice(space + 1) };
}
