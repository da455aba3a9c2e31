// prototype/run/steps/seal-donor.ts: the clone check is put on the disk before it is copied, and its result is read back item by item.
import { SEALED_ANNOTATION } from '../../names.ts';
import { needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

export const sealDonor: Step = {
  id: 'seal-donor',
  title: 'seal the donor against twins',
  usuallyMs: 30_000,
  // A donor that is off has been sealed by this very run: nothing else turns it off, and it could not be asked.
  isNeeded: (scene) => needsCapture(scene) && scene.world.donor?.power === 'running',
  isDone: ({ world, run }) => world.node?.annotations[SEALED_ANNOTATION] === run.id,
  apply: async ({ world, run, intent }, { seal, cluster, signal }) => {
    await seal(intent.nodeName, world.donor!.vmId);
    await cluster.changeNode(world.node!, { annotations: { [SEALED_ANNOTATION]: run.id } }, signal);
  },
};
