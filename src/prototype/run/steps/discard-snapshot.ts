// prototype/run/steps/discard-snapshot.ts: delete a snapshot that cannot become this run's version: a pool has only one.
import { isOfDonor, needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

export const discardSnapshot: Step = {
  id: 'discard-snapshot',
  title: 'delete the unusable snapshot of an earlier run',
  usuallyMs: 10_000,
  // It failed, or its version was never begun on its day. For a snapshot of another donor preflight refuses the run.
  isNeeded: (scene) => {
    const { snapshot } = scene.world;
    return needsCapture(scene) && snapshot !== undefined && isOfDonor(snapshot.tags, scene);
  },
  isDone: ({ world }) => world.snapshot === undefined,
  apply: ({ world }, { snapshots, signal, onWaiting }) =>
    snapshots.deleteSnapshot(world.snapshot!.name, { signal, onWaiting }),
};
