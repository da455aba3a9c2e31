// prototype/run/steps/stop-donor.ts: the disk can only be copied consistently while the instance is stopped.
import { stoppedChange } from '../prior.ts';
import { needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

export const stopDonor: Step = {
  id: 'stop-donor',
  title: 'stop the donor',
  usuallyMs: 60_000,
  isNeeded: needsCapture,
  isDone: ({ world }) => world.donor?.power === 'stopped' || world.donor?.power === 'deallocated',
  apply: async ({ world, intent }, { pools, cluster, clock, signal, onWaiting }) => {
    const change = world.node && stoppedChange(world.node, clock.nowMs());
    if (change) await cluster.changeNode(world.node!, change, signal);
    // A released instance may find no room to start again, so it keeps its place unless the operator says otherwise.
    await (intent.isReleased
      ? pools.deallocate(world.donor!.ref, { signal, onWaiting })
      : pools.stop(world.donor!.ref, { signal, onWaiting }));
  },
};
