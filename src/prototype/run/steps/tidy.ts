// prototype/run/steps/tidy.ts: delete old unused versions, then the snapshot: while it exists, the run is unfinished.
import { UserError } from '../../../base/errors.ts';
import { Refused } from '../../../base/failures.ts';
import { prunableVersions } from '../../after/prune.ts';
import { isOfDonor, type Scene } from '../scene.ts';
import type { Step } from '../step.ts';

const isTidying = ({ run }: Scene) => !run.isAborting;

export const pruneVersions: Step = {
  id: 'prune-versions',
  title: 'delete unused versions beyond the history',
  usuallyMs: 30_000,
  isNeeded: (scene) => isTidying(scene) && scene.world.versions.length > scene.intent.imageHistory,
  isDone: ({ world, intent }) =>
    world.references !== undefined && prunableVersions(world, intent.imageHistory).length === 0,
  // A search of every pool: too expensive for each observation.
  look: async ({ world }, { gallery, signal }) => ({
    references: await gallery.referencedImages(world.definition!, { signal }),
  }),
  isOptional: () => true,
  apply: async ({ world, intent }, { gallery, signal, onWaiting }) => {
    const failures: UserError[] = [];
    for (const version of prunableVersions(world, intent.imageHistory)) {
      try {
        await gallery.deleteVersion(world.definition!, version.name, { signal, onWaiting });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof UserError)) throw error;
        failures.push(error); // one that is locked does not keep the others
      }
    }
    const [first] = failures;
    if (first) throw new Refused(failures.map(({ message }) => message).join('; '), first.code, first);
  },
};

export const removeSnapshot: Step = {
  id: 'delete-snapshot',
  title: 'delete the snapshot',
  usuallyMs: 10_000,
  isOptional: () => true,
  isNeeded: (scene) => {
    const { snapshot } = scene.world;
    return isTidying(scene) && snapshot !== undefined && isOfDonor(snapshot.tags, scene);
  },
  isDone: ({ world }) => world.snapshot === undefined,
  apply: ({ world }, { snapshots, signal, onWaiting }) =>
    snapshots.deleteSnapshot(world.snapshot!.name, { signal, onWaiting }),
};
