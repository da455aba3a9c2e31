// prototype/run/steps/seal-donor.ts: install the clone check on the donor's disk before it is copied.
import { SEALED_ANNOTATION } from '../../names.ts';
import { needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

export const sealDonor: Step = {
  id: 'seal-donor',
  title: 'seal the donor with the clone check',
  usuallyMs: 30_000,
  // A stopped donor was sealed by this run: only a later step stops it, and no script can run on it now.
  isNeeded: (scene) => needsCapture(scene) && scene.world.donor?.power === 'running',
  isDone: ({ world, run }) => world.node?.annotations[SEALED_ANNOTATION] === run.id,
  apply: async ({ world, run, intent }, { seal, cluster, signal }) => {
    await seal(intent.nodeName, world.donor!.vmId);
    await cluster.changeNode(world.node!, { annotations: { [SEALED_ANNOTATION]: run.id } }, signal);
  },
};
