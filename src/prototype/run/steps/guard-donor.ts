// prototype/run/steps/guard-donor.ts: keep autoscalers and the platform from removing or repairing the donor while it is off.
import { guardChange, isGuarded } from '../prior.ts';
import { needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

export const guardNode: Step = {
  id: 'guard-node',
  title: 'keep the autoscaler from removing the donor',
  usuallyMs: 1000,
  isNeeded: needsCapture,
  isDone: ({ world }) => world.node !== undefined && isGuarded(world.node),
  apply: ({ world }, { cluster, signal }) => cluster.changeNode(world.node!, guardChange(), signal),
};

/** The platform ignores the annotations: its scale-in and repair respect only the instance's protection. */
export const protectInstance: Step = {
  id: 'protect-instance',
  title: 'protect the instance from scale-in and repair',
  usuallyMs: 15_000,
  isNeeded: needsCapture,
  isDone: ({ world }) => world.donor?.protection.fromScaleIn === true && world.donor.protection.fromPoolActions,
  apply: ({ world }, { pools, signal, onWaiting }) =>
    pools.setProtection(world.donor!.ref, { fromScaleIn: true, fromPoolActions: true }, { signal, onWaiting }),
};
