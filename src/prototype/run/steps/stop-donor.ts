// prototype/run/steps/stop-donor.ts: stop the donor: its disk can be copied consistently only while it is off.
import { stoppedChange } from '../prior.ts';
import { isOff, needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

const POLL_MS = 10_000;

export const stopDonor: Step = {
  id: 'stop-donor',
  title: 'stop the donor',
  usuallyMs: 60_000,
  isNeeded: needsCapture,
  isWaiting: true,
  giveUpAfterMs: 60 * 60_000,
  isDone: isOff,
  apply: async ({ world, intent }, { pools, cluster, clock, signal, onWaiting }) => {
    if (world.donor!.power !== 'running') {
      onWaiting(`the power state of ${intent.nodeName}, which is ${world.donor!.power}`);
      return clock.sleep(POLL_MS, signal);
    }
    const change = world.node && stoppedChange(world.node, clock.nowMs());
    if (change) await cluster.changeNode(world.node!, change, signal);
    // A deallocated instance may fail to start again for lack of capacity, so the default is to stop it only.
    await (intent.isReleased
      ? pools.deallocate(world.donor!.ref, { signal, onWaiting })
      : pools.stop(world.donor!.ref, { signal, onWaiting }));
  },
};
