// prototype/run/steps/wake-donor.ts: a donor that does not run cannot be drained and sealed. Others may have stopped it.
import { isStaleStatus } from '../prior.ts';
import { isOff, isSealed, needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

const POLL_MS = 10_000;

export const wakeDonor: Step = {
  id: 'wake-donor',
  isWaiting: true,
  title: 'start the donor, so that it can be drained and sealed',
  usuallyMs: 90_000,
  giveUpAfterMs: 30 * 60_000,
  isNeeded: (scene) => needsCapture(scene) && !isSealed(scene),
  isDone: ({ world: { donor, node, nowMs } }) =>
    donor?.power === 'running' && node?.isReady === true && !isStaleStatus(node, nowMs),
  apply: async (scene, { pools, clock, signal, onWaiting }) => {
    const { world, intent } = scene;
    if (isOff(scene)) return pools.start(world.donor!.ref, { signal, onWaiting });
    const state = world.donor!.power === 'running' ? 'not Ready' : world.donor!.power;
    onWaiting(`${intent.nodeName} to be Ready; it is ${state}`);
    await clock.sleep(POLL_MS, signal);
  },
};
