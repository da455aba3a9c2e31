// prototype/run/steps/take-snapshot.ts: copy the stopped donor's disk, tagged with its owner, and wait until the copy is complete.
import { Refused } from '../../../base/failures.ts';
import { datedSnapshotName, poolMark, snapshotName, TAGS } from '../../names.ts';
import { hasPendingSnapshot, hasUsableSnapshot, isDrained, isOff, isSealed, needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

const POLL_MS = 10_000;

export const takeSnapshot: Step = {
  id: 'take-snapshot',
  title: "copy the donor's disk",
  usuallyMs: 90_000,
  isNeeded: needsCapture,
  isDone: hasUsableSnapshot,
  apply: async (scene, { snapshots, signal, onWaiting }) => {
    const { world, intent, run } = scene;
    const { donor, pool } = world;
    if (!isDrained(scene) || !isSealed(scene) || !isOff(scene))
      throw new Refused(
        `${intent.nodeName} is not drained, sealed and stopped by this run: its disk is not copied`,
        'prototype/not-sealed',
      );
    if (!donor?.osDisk) throw new Refused(`${intent.nodeName} has no managed OS disk to copy`, 'prototype/no-disk');
    await snapshots.createSnapshot(
      {
        name: world.leftover ? datedSnapshotName(world.leftover.name, intent.version) : snapshotName(pool.ref),
        sourceDiskId: donor.osDisk.id,
        region: pool.region,
        tags: {
          [TAGS.donor]: intent.nodeName,
          [TAGS.donorVmId]: donor.vmId,
          [TAGS.version]: intent.version,
          [TAGS.run]: run.id,
          [TAGS.pool]: poolMark(pool.ref),
          [TAGS.sealed]: run.id,
        },
      },
      { signal, onWaiting },
    );
  },
};

/**
 * The API reports success before the bytes are readable, and a copy taken then boots to an empty disk. This run's donor stays off
 * meanwhile; the donor of a run that died is back in service by now.
 */
export const awaitSnapshot: Step = {
  id: 'await-snapshot',
  isWaiting: true,
  title: "wait until the copy of the donor's disk is complete",
  usuallyMs: 10_000,
  isNeeded: (scene) => !scene.run.isAborting && hasPendingSnapshot(scene),
  isDone: hasUsableSnapshot,
  apply: async ({ world }, { clock, signal, onWaiting }) => {
    onWaiting('the snapshot', world.snapshot?.percent);
    await clock.sleep(POLL_MS, signal);
  },
  poll: async ({ world }, { snapshots, signal }) => ({
    snapshot: await snapshots.readSnapshot(world.snapshot!.name, { signal }),
  }),
};
