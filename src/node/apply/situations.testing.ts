// node/apply/situations.testing.ts: minimal plans and slots for tests of decisions.
import type { ObservedState, Plan } from '../desired/tree.ts';
import { anObservation, aPlan } from '../plan/plans.testing.ts';
import type { Assignment, Slot } from './contract.ts';
import type { ObservedPlan } from './observe-and-plan.ts';

export const STAMP = { atMs: 1000, bootId: 'boot-2', vmId: 'vm-1' };

export function here(plan: Partial<Plan> = {}, observed: Partial<ObservedState> = {}): ObservedPlan {
  return { plan: aPlan(plan), observed: anObservation(observed) };
}

export function aSlot({ hash, documentHash, config }: Assignment, number: number): Slot {
  return { number, generation: config.generation, hash, documentHash, atMs: 0 };
}
