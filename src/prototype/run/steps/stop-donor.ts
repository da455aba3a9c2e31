// prototype/run/steps/stop-donor.ts: stop the donor: its disk can be copied consistently only while it is off.
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
    // A deallocated instance may fail to start again for lack of capacity, so the default is to stop it only.
    await (intent.isReleased
      ? pools.deallocate(world.donor!.ref, { signal, onWaiting })
      : pools.stop(world.donor!.ref, { signal, onWaiting }));
  },
};
