// prototype/run/steps/drain-donor.ts: move workloads off the donor before it stops, within disruption budgets.
import { drainNode } from '../../../cluster/drain/drain.ts';
import { needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

export const cordon: Step = {
  id: 'cordon',
  title: 'cordon the donor',
  usuallyMs: 1000,
  isNeeded: needsCapture,
  isDone: ({ world }) => world.node?.isUnschedulable === true,
  apply: ({ world }, { cluster, signal }) => cluster.changeNode(world.node!, { isUnschedulable: true }, signal),
};

export const drain: Step = {
  id: 'drain',
  title: 'drain the donor',
  usuallyMs: 120_000,
  isNeeded: (scene) => needsCapture(scene) && scene.world.donor?.power === 'running',
  isDone: ({ world }) => world.podsToMove.length === 0,
  apply: ({ intent }, { cluster, clock, signal, onWaiting }) =>
    drainNode(
      cluster,
      intent.nodeName,
      { graceSeconds: intent.graceSeconds, isForced: intent.isDrainForced },
      { clock, signal, onWaiting },
    ),
};
