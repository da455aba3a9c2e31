// prototype/steps/discard-snapshot.ts: a snapshot that cannot become this run's version is in the way of one that can.
import { TAGS } from '../names.ts';
import { isOfDonor, needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

export const discardSnapshot: Step = {
  id: 'discard-snapshot',
  title: 'delete the unusable snapshot of an earlier run',
  usuallyMs: 10_000,
  isNeeded: (scene) => {
    const { world, intent, run } = scene;
    // Another donor's is not ours to delete: preflight has refused. One of this run is still being taken.
    return (
      needsCapture(scene) &&
      world.snapshot !== undefined &&
      isOfDonor(world.snapshot.tags, intent) &&
      world.snapshot.tags[TAGS.run] !== run.id
    );
  },
  isDone: ({ world }) => world.snapshot === undefined,
  apply: ({ world }, { factory, signal, onWaiting }) =>
    factory.deleteSnapshot(world.snapshot!.name, { signal, onWaiting }),
};
