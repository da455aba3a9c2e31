// node/plan/live.ts: which values of the running system differ from what they should be, and what do we go back to when one leaves
// the document?

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
  /** None for what only the control plane may do. */
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
      if (before !== undefined) plan.owned.set(id, before); // later, when it can be looked at
      continue;
    }
    const seen = observed.live.get(id);
    const { kind, key, value, aspect } = live;
    const original = before === undefined ? originalOf(kind, seen, value) : before.original;
    plan.owned.set(id, { value, original, aspect });
    if (isSwitchedOn(kind, value) && !units.exists(key)) plan.problems.push(noSuchUnit(key));
    if (before === undefined && isTaken(live, observed)) plan.problems.push(taken(key));
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
      plan.owned.set(id, before); // later, when it is not masked any more
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
        isDrift: false, // the document says what to do about files; values are put right whenever they are found wrong
        leaves: [],
        diff: { kind: 'value', from: seen, to: value },
      },
    };
  }
}

/** Making a swap file destroys what was there before. */
function isTaken({ kind, key }: LiveValue, { files, live }: ObservedState): boolean {
  return kind === 'swap' && !live.has(`${kind} ${key}`) && (files.get(key)?.kind ?? 'absent') !== 'absent';
}

/** A boot switches no swap on; the file is still there. */
function isLeftOver(kind: LiveKind, key: string, { files }: ObservedState): boolean {
  return kind === 'swap' && (files.get(key)?.kind ?? 'absent') !== 'absent';
}

function taken(path: string): Problem {
  return { reason: 'plan/obstructed', path, message: 'there is something in the place of the swap file' };
}

function noSuchUnit(unit: string): Problem {
  return {
    reason: 'config/invalid',
    path: renderPath(['spec', 'units', unit]),
    message: 'does not exist on this image, and has no content',
  };
}

interface ValueToChange {
  id: LiveId;
  kind: LiveKind;
  key: string;
  aspect: LiveValue['aspect'];
  seen: string | undefined;
  /** Undefined = not there. */
  value: string | undefined;
  op: PlannedChange['op'];
}

/** A Node that has not been read, a kubeconfig that kubelet has not written yet: nothing to compare with. */
function isKnown(kind: LiveKind, observed: ObservedState): boolean {
  if (kind === 'label' || kind === 'taint') return observed.isNodeKnown;
  return kind !== 'kubeconfig' || observed.hasCredential;
}

function isSwitchedOn(kind: LiveKind, value: string | undefined): boolean {
  return (kind === 'unit-enabled' || kind === 'unit-active') && value === 'yes';
}

/** One that does not exist is off. Nothing to enable, or finished: switched neither on nor off. */
function isSatisfied(kind: LiveKind, seen: string | undefined, value: string | undefined): boolean {
  if (kind !== 'unit-enabled' && kind !== 'unit-active') return seen === value;
  return (seen ?? 'no') === value || seen === 'fixed' || seen === 'done';
}

function originalOf(kind: LiveKind, seen: string | undefined, value: string): string | undefined {
  switch (kind) {
    case 'module':
    case 'kubeconfig':
    case 'firewall': // a table of our name is ours, whoever left it there
      return undefined;
    case 'unit-enabled':
    case 'unit-active':
      return seen === 'yes' ? 'yes' : 'no';
    case 'label':
    case 'taint': // kubelet registers with them, so one that is there as we want it is ours and not the cluster's
      return seen === value ? undefined : seen;
    default:
      return seen;
  }
}

/** Undefined: it stays as it is. */
function restoredValue(kind: LiveKind, original: string | undefined): { to: string | undefined } | undefined {
  switch (kind) {
    case 'module': // something may be using it; the next boot comes without
    case 'kubeconfig': // kubelet needs one
      return undefined;
    case 'sysctl':
    case 'host-name':
    case 'mtu': // there is always some value
      return original === undefined ? undefined : { to: original };
    default:
      return { to: original };
  }
}

function parseId(id: LiveId): { kind: LiveKind; key: string } {
  const space = id.indexOf(' ');
  return { kind: id.slice(0, space) as LiveKind, key: id.slice(space + 1) };
}
