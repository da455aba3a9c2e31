// prototype/run/steps/seal-donor.ts: install the clone check on the donor's disk before it is copied.
import { SEALED_ANNOTATION } from '../../names.ts';
import { isSealed, needsCapture, sealMark } from '../scene.ts';
import type { Step } from '../step.ts';

export const sealDonor: Step = {
  id: 'seal-donor',
  title: 'seal the donor with the clone check',
  usuallyMs: 30_000,
  isNeeded: needsCapture,
  isDone: isSealed,
  apply: async ({ world, run, intent }, { seal, cluster, signal }) => {
    await seal(intent.nodeName, world.donor!.vmId);
    await cluster.changeNode(
      world.node!,
      { annotations: { [SEALED_ANNOTATION]: sealMark(run, world.donor!) } },
      signal,
    );
  },
};
