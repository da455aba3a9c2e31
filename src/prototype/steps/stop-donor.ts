// prototype/steps/stop-donor.ts: the disk can only be copied consistently while the instance is stopped.
import { needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

export const stopDonor: Step = {
  id: 'stop-donor',
  title: 'stop the donor',
  usuallyMs: 60_000,
  isNeeded: needsCapture,
  isDone: ({ world }) => world.donor?.power === 'stopped' || world.donor?.power === 'deallocated',
  apply: ({ world, intent }, { factory, signal, onWaiting }) =>
    // A released instance may find no room to start again, so it keeps its place unless the operator says otherwise.
    intent.isReleased
      ? factory.stopAndRelease(world.donor!.ref, { signal, onWaiting })
      : factory.stop(world.donor!.ref, { signal, onWaiting }),
};
