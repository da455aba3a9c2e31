// vms/qemu/images/snapshots.ts: copies of the disks of stopped instances. A copy is an overlay on the same image version as the disk.
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CallOptions } from '../../../base/call-options.ts';
import { NotFound, Refused } from '../../../base/failures.ts';
import { syncFiles } from '../../../host/file-sum.ts';
import { withLock } from '../../../host/locks.ts';
import { partialPrefix, removeAtomically, removeLeftovers } from '../../../host/whole-folders.ts';
import type { Snapshot, SnapshotSpec } from '../../snapshots.ts';
import type { Home, QemuContext } from '../context.ts';
import { ensureSpace } from '../home/ensure-space.ts';
import { readInstanceRecord } from '../home/instance-records.ts';
import {
  instanceFiles,
  instanceFolder,
  parseDiskId,
  parseVersionId,
  snapshotFolder,
  snapshotId,
  snapshotRecord,
  snapshotsFolder,
  snapshotsLock,
  versionFileNames,
  versionFolder,
} from '../home/layout.ts';
import { lockPool } from '../home/pool-lock.ts';
import { readHomeRecord, writeHomeRecord } from '../home/record-file.ts';
import { bootFactsOf, type SnapshotRecord, snapshotRecordSchema } from '../home/records.ts';
import { readVersionRecord } from '../home/version-records.ts';
import { copyOverlay, diskSize } from './disks.ts';
import { filesIn, shareFile } from './make-version.ts';

export async function readSnapshot({ home }: Home, name: string): Promise<Snapshot | undefined> {
  const record = readHomeRecord(join(snapshotFolder(home, name), snapshotRecord), snapshotRecordSchema);
  if (!record) return undefined;
  const { sourceDiskId, createdMs, tags } = record;
  return { name, id: snapshotId(name), state: 'complete', percent: 100, sourceDiskId, createdMs, tags };
}

/** When a snapshot of that name exists: succeeds if it is of the same disk, throws `Refused` if it is of another. */
export async function createSnapshot(
  context: QemuContext,
  { name, sourceDiskId, tags }: SnapshotSpec,
  options: CallOptions = {},
): Promise<void> {
  const { home, run, clock } = context;
  const { signal, onWaiting } = options;
  const source = parseDiskId(sourceDiskId);
  if (!source) throw new NotFound(`disk ${sourceDiskId}`);
  const place = snapshotFolder(home, name);
  // The pool's lock keeps the instance from being started under the copy.
  await lockPool(home, source.pool, `copying the disk of ${source.id}`, options, () =>
    withLock(home, { name: snapshotsLock, why: `making snapshot ${name}` }, options, async () => {
      await removeLeftovers(snapshotsFolder(home), partialPrefix);
      const seen = await readSnapshot(context, name);
      if (seen && seen.sourceDiskId === sourceDiskId) return;
      if (seen)
        throw new Refused(
          `snapshot ${name} exists and is of another disk, ${seen.sourceDiskId}`,
          'vms/snapshot-differs',
        );
      const instance = readInstanceRecord(home, source);
      if (!instance || instance.isBlank) throw new NotFound(`disk ${sourceDiskId}`);
      const folder = instanceFolder(home, source);
      if ((await context.machines.state({ folder, vmId: instance.vmId })) !== 'off')
        throw new Refused(`${source.id} is running: a copy of its disk would be inconsistent`, 'vms/not-stopped');
      const version = parseVersionId(instance.image.id);
      const versionRecord = version && readVersionRecord(home, version);
      if (!version || !versionRecord) throw new NotFound(`image ${instance.image.id}`);

      const disk = join(folder, instanceFiles.disk);
      await ensureSpace(context, (await diskSize({ run, signal }, disk)).actualBytes, `snapshot ${name}`);
      await mkdir(snapshotsFolder(home), { recursive: true, mode: 0o700 });
      const work = await mkdtemp(join(snapshotsFolder(home), partialPrefix));
      try {
        onWaiting?.('the copy of the disk');
        const below = versionFolder(home, version);
        await copyOverlay(
          { run, signal },
          { from: disk, to: join(work, versionFileNames.disk), backing: join(below, versionFileNames.disk) },
        );
        const { kernel } = filesIn(below);
        if (kernel) {
          await shareFile(run, kernel.vmlinux, join(work, versionFileNames.vmlinux));
          await shareFile(run, kernel.initrd, join(work, versionFileNames.initrd));
        }
        const record: SnapshotRecord = {
          name,
          sourceDiskId,
          backing: instance.image.id,
          ...bootFactsOf(versionRecord),
          createdMs: clock.nowMs(),
          tags: { ...tags },
        };
        writeHomeRecord(join(work, snapshotRecord), record);
        await syncFiles([join(work, versionFileNames.disk), work]);
        await rename(work, place);
        await syncFiles([dirname(place)]);
      } finally {
        await rm(work, { recursive: true, force: true });
      }
    }),
  );
}

export async function deleteSnapshot({ home }: Home, name: string, options?: CallOptions): Promise<void> {
  const place = snapshotFolder(home, name);
  await withLock(home, { name: snapshotsLock, why: `deleting snapshot ${name}` }, options, () =>
    removeAtomically(place),
  );
}
