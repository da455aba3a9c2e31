// node/plan/plans.testing.ts: minimal plans and observations of a node for tests of decisions.
import { NOTHING_OWNED, type ObservedState, type Plan, type PlannedChange, type PlanStep } from '../desired/tree.ts';

export function aChange(over: Partial<PlannedChange> = {}): PlannedChange {
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

export function anObservation(over: Partial<ObservedState> = {}): ObservedState {
  return {
    files: new Map(),
    folders: new Set(),
    live: new Map(),
    units: new Map(),
    users: new Map(),
    groups: new Map(),
    kubeletPhase: 'running',
    hasCredential: true,
    isNodeKnown: false,
    kubelet: { base: {}, dropIns: new Map(), state: new Set() },
    ...over,
  };
}

export const SET_SYSCTL: PlanStep = { do: 'set', kind: 'sysctl', key: 'a', value: '2' };

export function aUnit(isActive: boolean, isMasked = false) {
  return { isActive, isMasked, isOfImage: true };
}
