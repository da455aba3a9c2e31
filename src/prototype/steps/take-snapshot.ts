// prototype/steps/take-snapshot.ts: a copy of the stopped donor's disk, marked with whose it is before it is made.
import { Refused } from '../../vms/failures.ts';
import { snapshotName, TAGS } from '../names.ts';
import { hasUsableSnapshot, needsCapture } from '../scene.ts';
import type { Step } from '../step.ts';

const POLL_MS = 10_000;

export const takeSnapshot: Step = {
  id: 'take-snapshot',
  isWaiting: true,
  title: "copy the donor's disk",
  usuallyMs: 90_000,
  isNeeded: needsCapture,
  isDone: hasUsableSnapshot,
  apply: async ({ world, intent, run }, { factory, clock, signal, onWaiting }) => {
    const { donor, snapshot, pool } = world;
    if (snapshot?.state === 'creating') {
      // The API reports success before the bytes are readable, and a copy taken then boots to an empty disk.
      onWaiting('the snapshot', snapshot.percent);
      return clock.sleep(POLL_MS, signal);
    }
    if (snapshot?.state === 'failed') return factory.deleteSnapshot(snapshot.name, { signal, onWaiting });
    if (!donor?.osDisk) throw new Refused(`${intent.nodeName} has no managed OS disk to copy`, 'prototype/no-disk');
    await factory.createSnapshot(
      {
        name: snapshotName(pool.ref.name),
        sourceDiskId: donor.osDisk.id,
        region: pool.region,
        tags: {
          [TAGS.donor]: intent.nodeName,
          [TAGS.donorVmId]: donor.vmId,
          [TAGS.version]: intent.version,
          [TAGS.run]: run.id,
        },
      },
      { signal, onWaiting },
    );
  },
};
