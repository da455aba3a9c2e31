// node/apply/plans.testing.ts: plans and observations of a node, as small as a test of a decision needs them.
import { type Change, NOTHING_OWNED, type Observed, type Plan, type Step } from '../desired/tree.ts';
import type { Assignment, Slot } from './contract.ts';
import type { PlanHere } from './plan-for.ts';

export const STAMP = { atMs: 1000, bootId: 'boot-2', vmId: 'vm-1' };

export function aChange(over: Partial<Change> = {}): Change {
  const diff = { kind: 'value', from: '1', to: '2' } as const;
  return {
    aspect: 'sysctl',
    what: 'sysctl a',
    op: 'update',
    class: 1,
    why: 'x',
    isDrift: false,
    leaves: [],
    diff,
    ...over,
  };
}

export function aPlan(over: Partial<Plan> = {}): Plan {
  return {
    changes: [],
    steps: [],
    class: 0,
    problems: [],
    ownership: NOTHING_OWNED,
    ownershipMeanwhile: NOTHING_OWNED,
    kubeletConfig: {},
    ...over,
  };
}

export function anObservation(over: Partial<Observed> = {}): Observed {
  return {
    files: new Map(),
    folders: new Set(),
    live: new Map(),
    units: new Map(),
    users: new Map(),
    groups: new Map(),
    moment: 'running',
    hasCredential: true,
    isNodeKnown: false,
    kubelet: { base: {}, dropIns: new Map(), state: new Set() },
    ...over,
  };
}

/** What it takes to set a kernel parameter. */
export const SET_SYSCTL: Step = { do: 'set', kind: 'sysctl', key: 'a', value: '2' };

export function here(plan: Partial<Plan> = {}, observed: Partial<Observed> = {}): PlanHere {
  return { plan: aPlan(plan), observed: anObservation(observed) };
}

export function aSlot({ hash, documentHash, config }: Assignment, number: number): Slot {
  return { number, generation: config.generation, hash, documentHash, atMs: 0 };
}

export function aUnit(isActive: boolean, isMasked = false) {
  return { isActive, isMasked, isOfImage: true };
}
