// prototype/run/steps/discard-snapshot.ts: delete a snapshot that cannot become this run's version: a pool has only one.
import { datedSnapshotName } from '../../names.ts';
import { isAbandonedSnapshot, isOfDonor, needsCapture, type Scene } from '../scene.ts';
import type { Step } from '../step.ts';

export const discardSnapshot: Step = {
  id: 'discard-snapshot',
  title: 'delete the unusable snapshot of an earlier run',
  usuallyMs: 10_000,
  isNeeded: (scene) => isInTheWay(scene) || (!scene.run.isAborting && scene.world.leftover !== undefined),
  isDone: (scene) => !isInTheWay(scene) && scene.world.leftover === undefined,
  // A leftover that is locked stays: this run's snapshot then gets a name with its version.
  isOptional: (scene) => !isInTheWay(scene),
  apply: async (scene, { snapshots, signal, onWaiting }) => {
    for (const name of namesToDelete(scene)) await snapshots.deleteSnapshot(name, { signal, onWaiting });
  },
};

/** For the snapshot of another donor that may still become a version, preflight refuses the run. */
function isInTheWay(scene: Scene): boolean {
  const { snapshot } = scene.world;
  if (!snapshot || !needsCapture(scene)) return false;
  return isOfDonor(snapshot.tags, scene) || isAbandonedSnapshot(scene);
}

/** The one with the usual name goes last, because it shows that there may be some with a version in their name. */
function namesToDelete(scene: Scene): string[] {
  const { snapshot, leftover, versions } = scene.world;
  if (isInTheWay(scene) || !leftover) return snapshot ? [snapshot.name] : [];
  const dated = versions.map(({ name }) => datedSnapshotName(leftover.name, name));
  return [...dated.filter((name) => name !== snapshot?.name), leftover.name];
}
