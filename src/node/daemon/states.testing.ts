// node/daemon/states.testing.ts: states and outcomes for tests of single decisions of the daemon.
import type { ApplyOutcome, Slot, Slots } from '../apply/contract.ts';
import { INITIAL } from './machine.ts';
import type { DaemonState } from './state.ts';

export const START = Date.UTC(2026, 10, 16, 5, 0);

export const slot = (generation: number, more: Partial<Slot> = {}): Slot => ({
  number: generation,
  generation,
  hash: `hash-${generation}`,
  documentHash: `document-${generation}`,
  atMs: START,
  ...more,
});
export const watch = {
  number: 1,
  sinceMs: START,
  bootId: 'b',
  units: [],
  ranBefore: [],
  wasApiReachable: false,
  kubeletConfig: {},
};
export const runs = (generation: number | undefined, more: Partial<Slots> = {}): Slots => ({
  ...(generation !== undefined && { active: slot(generation), assigned: slot(generation) }),
  bad: [],
  ...more,
});

/** A node that runs generation 1 and lets kubelet start; nothing is due. */
export function aState(over: Partial<DaemonState> = {}): DaemonState {
  return {
    ...INITIAL,
    slots: runs(1),
    ofNode: { phase: 'Applied', code: 'ok/applied', detail: 'the node runs generation 1' },
    isReady: true,
    due: { ...INITIAL.due, fetchMs: START + 3_600_000 },
    ...over,
  };
}

export function anOutcome(kind: ApplyOutcome['kind'], over: Partial<ApplyOutcome> = {}): ApplyOutcome {
  return { kind, code: 'ok/applied', reason: `it is ${kind}`, timings: [], slots: runs(1), ...over };
}
