// prototype/run/steps/publish-version.ts: make a version from the snapshot, excluded from "latest" until the pool uses it.

import { NoZoneRedundancy } from '../../../base/failures.ts';
import type { Redundancy } from '../../../vms/gallery.ts';
import { poolMark, TAGS } from '../../names.ts';
import { isTargetBad, type Scene, targetVersion, targetVersionName } from '../scene.ts';
import type { Step, StepDeps } from '../step.ts';

const POLL_MS = 30_000;

const isPublishing = ({ run }: Scene) => !run.isAborting;

/** A failed version can be neither changed nor used. */
export const discardVersion: Step = {
  id: 'discard-version',
  title: 'delete the version that failed',
  usuallyMs: 30_000,
  // Three builds in all: a reason that stays does not hold the pool for hours.
  maxAttempts: 2,
  isNeeded: (scene) => isPublishing(scene) && targetVersion(scene)?.state === 'failed',
  isDone: () => false,
  problem: (scene) => {
    const { name, failure } = targetVersion(scene)!;
    return `version ${name} failed: ${failure ?? 'the cloud gives no reason'}`;
  },
  apply: (scene, { gallery, signal, onWaiting }) =>
    gallery.deleteVersion(scene.world.definition!, targetVersionName(scene), { signal, onWaiting }),
};

export const awaitDeletion: Step = {
  id: 'await-deletion',
  isWaiting: true,
  title: 'wait until the version that failed is deleted',
  usuallyMs: 30_000,
  giveUpAfterMs: 60 * 60_000,
  isNeeded: (scene) => isPublishing(scene) && targetVersion(scene)?.state === 'deleting',
  isDone: () => false,
  apply: async (scene, { clock, signal, onWaiting }) => {
    onWaiting(`version ${targetVersionName(scene)} to be deleted`);
    await clock.sleep(POLL_MS, signal);
  },
};

export const orderVersion: Step = {
  id: 'begin-version',
  title: 'create the image version, excluded from latest',
  usuallyMs: 10_000,
  isNeeded: isPublishing,
  isDone: (scene) => targetVersion(scene) !== undefined,
  apply: async (scene, deps) => {
    try {
      await requestVersion(scene, deps, 'zone');
    } catch (error) {
      // Not every region has zone-redundant storage, and only a request shows which.
      if (!(error instanceof NoZoneRedundancy)) throw error;
      await requestVersion(scene, deps, 'local');
    }
  },
};

function requestVersion(
  { world, intent, run, ...rest }: Scene,
  { gallery, signal, onWaiting }: StepDeps,
  redundancy: Redundancy,
) {
  const name = targetVersionName({ world, intent, run, ...rest });
  const vmId = world.snapshot!.tags[TAGS.donorVmId];
  const tags = {
    [TAGS.donor]: intent.nodeName,
    ...(vmId !== undefined && { [TAGS.donorVmId]: vmId }),
    [TAGS.run]: run.id,
    [TAGS.version]: name,
    [TAGS.pool]: poolMark(world.pool.ref),
    [TAGS.sealed]: world.snapshot!.tags[TAGS.sealed]!,
  };
  return gallery.beginVersion(
    {
      definition: world.definition!,
      name,
      snapshotId: world.snapshot!.id,
      region: world.pool.region,
      replicas: intent.replicas,
      redundancy,
      isExcludedFromLatest: true,
      tags,
    },
    { signal, onWaiting },
  );
}

export const awaitVersion: Step = {
  id: 'await-version',
  isWaiting: true,
  title: 'wait until the version is created and replicated',
  usuallyMs: 40 * 60_000,
  isNeeded: isPublishing,
  isDone: (scene) => targetVersion(scene)?.state === 'ready',
  apply: async (scene, { clock, signal, onWaiting }) => {
    const version = targetVersion(scene)!;
    onWaiting(`version ${version.name} (${version.state})`, version.percent);
    await clock.sleep(POLL_MS, signal);
  },
  // Half an hour of full observations would be most of a run's requests to the cloud.
  poll: async (scene, { gallery, signal }) => {
    const { definition, versions } = scene.world;
    const name = targetVersionName(scene);
    const seen = await gallery.readVersion(definition!, name, { signal });
    return { versions: [...versions.filter((version) => version.name !== name), ...(seen ? [seen] : [])] };
  },
};

export const includeVersion: Step = {
  id: 'include-version',
  title: 'clear the exclusion from latest',
  usuallyMs: 20_000,
  isNeeded: (scene) => isPublishing(scene) && !isTargetBad(scene),
  isDone: (scene) => targetVersion(scene)?.isExcludedFromLatest === false,
  apply: (scene, { gallery, signal, onWaiting }) =>
    gallery.setExcludedFromLatest(scene.world.definition!, targetVersionName(scene), false, { signal, onWaiting }),
};
