// prototype/run/steps/drain-donor.ts: move workloads off the donor before it stops, within disruption budgets.
import { drainNode } from '../../../cluster/drain/drain.ts';
import { DRAINED_ANNOTATION } from '../../names.ts';
import { isDrained, isOff, isSealed, needsCapture } from '../scene.ts';
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
  isNeeded: needsCapture,
  // Pods of a node that is off cannot be moved; the seal shows that there were none before.
  isDone: (scene) => isDrained(scene) && (scene.world.podsToMove.length === 0 || (isOff(scene) && isSealed(scene))),
  apply: async ({ intent, run }, { cluster, clock, signal, onWaiting }) => {
    const { nodeName, graceSeconds, isDrainForced } = intent;
    await drainNode(cluster, nodeName, { graceSeconds, isForced: isDrainForced }, { clock, signal, onWaiting });
    // A drain may take minutes, in which kubelet changes the node.
    const node = await cluster.readNode(nodeName, signal);
    if (node) await cluster.changeNode(node, { annotations: { [DRAINED_ANNOTATION]: run.id } }, signal);
  },
};
