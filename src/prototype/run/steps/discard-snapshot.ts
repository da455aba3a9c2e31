// prototype/run/steps/discard-snapshot.ts: a snapshot that cannot become this run's version is in the way of one that can.
import { isOfDonor, needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

export const discardSnapshot: Step = {
  id: 'discard-snapshot',
  title: 'delete the unusable snapshot of an earlier run',
  usuallyMs: 10_000,
  // It failed, or is of a day whose version was never begun. Another donor's is not ours to delete: preflight has refused.
  isNeeded: (scene) => {
    const { snapshot } = scene.world;
    return needsCapture(scene) && snapshot !== undefined && isOfDonor(snapshot.tags, scene);
  },
  isDone: ({ world }) => world.snapshot === undefined,
  apply: ({ world }, { snapshots, signal, onWaiting }) =>
    snapshots.deleteSnapshot(world.snapshot!.name, { signal, onWaiting }),
};
