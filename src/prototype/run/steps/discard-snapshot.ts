// prototype/run/steps/discard-snapshot.ts: delete a snapshot that cannot become this run's version: a pool has only one.
import { isAbandonedSnapshot, isOfDonor, needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

export const discardSnapshot: Step = {
  id: 'discard-snapshot',
  title: 'delete the unusable snapshot of an earlier run',
  usuallyMs: 10_000,
  // For the snapshot of another donor that may still become a version, preflight refuses the run.
  isNeeded: (scene) => {
    const { snapshot } = scene.world;
    if (!snapshot || !needsCapture(scene)) return false;
    return isOfDonor(snapshot.tags, scene) || isAbandonedSnapshot(scene);
  },
  isDone: ({ world }) => world.snapshot === undefined,
  apply: ({ world }, { snapshots, signal, onWaiting }) =>
    snapshots.deleteSnapshot(world.snapshot!.name, { signal, onWaiting }),
};
