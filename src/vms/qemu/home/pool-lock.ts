// vms/qemu/home/pool-lock.ts: lock a pool for one command, and remove what killed commands left unfinished.
import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { CallOptions } from '../../../base/call-options.ts';
import { withLock, withLockIfFree } from '../../../host/locks.ts';
import { deletingPrefix, namesIn, partialPrefix, removeLeftovers, visibleIn } from '../../../host/whole-folders.ts';
import type { InstanceRef, PoolRef } from '../../pools.ts';
import { readInstanceRecord } from './instance-records.ts';
import {
  galleriesFolder,
  galleryFolder,
  galleryLock,
  instanceFiles,
  instanceFolder,
  instancesFolder,
  poolFolder,
  poolLock,
  poolNameOf,
  poolRef,
  poolsFolder,
  snapshotsFolder,
  snapshotsLock,
} from './layout.ts';

/** Callers must not hold this lock while a guest boots. */
export async function lockPool<T>(
  home: string,
  pool: PoolRef,
  why: string,
  options: CallOptions | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const name = poolNameOf(pool);
  return withLock(home, { name: poolLock(name), why }, options, async () => {
    await tidyPool(home, name);
    await tidyImages(home);
    return work();
  });
}

/** Some files are written without this lock, by commands that still run. Writing one takes milliseconds. */
const WRITING_MS = 60_000;

/** We hold the lock, so the command that left these is dead. */
async function tidyPool(home: string, pool: string): Promise<void> {
  await removeLeftovers(poolsFolder(home), deletingPrefix);
  const folder = instancesFolder(home, pool);
  await removeLeftovers(folder, deletingPrefix);
  await removeUnfinished(poolFolder(home, pool));
  for (const id of visibleIn(folder)) {
    const instance = join(folder, id);
    // No record means that QEMU was never started here: the record is written before QEMU starts.
    if (!existsSync(join(instance, instanceFiles.record))) await rm(instance, { recursive: true, force: true });
    else {
      await removeUnfinished(instance);
      await removeSpentMemory(home, { pool: poolRef(pool), id });
    }
  }
}

/** A killed command may have left the frozen memory of an instance that runs since. */
async function removeSpentMemory(home: string, ref: InstanceRef): Promise<void> {
  const folder = instanceFolder(home, ref);
  const files = [instanceFiles.memory, instanceFiles.devices, instanceFiles.parked].map((name) => join(folder, name));
  if (!files.some((file) => existsSync(file))) return;
  const record = readInstanceRecord(home, ref);
  if (record?.standby || record?.resume) return;
  for (const file of files) await rm(file, { force: true });
}

const TIDYING = 'removing unfinished images';

/** Unfinished images may take gigabytes, so do not wait for the next build to remove them. A locked gallery is being built right now. */
async function tidyImages(home: string): Promise<void> {
  if (namesIn(snapshotsFolder(home)).some(isUnfinished))
    await withLockIfFree(home, { name: snapshotsLock, why: TIDYING }, () => removeUnfinished(snapshotsFolder(home)));
  for (const gallery of visibleIn(galleriesFolder(home))) {
    const folder = galleryFolder(home, gallery);
    const definitions = visibleIn(folder).map((name) => join(folder, name));
    if (definitions.some((one) => namesIn(one).some(isUnfinished)))
      await withLockIfFree(home, { name: galleryLock(gallery), why: TIDYING }, () => tidyGallery(home, gallery));
  }
}

/** The caller must hold the gallery's lock. */
export async function tidyGallery(home: string, gallery: string): Promise<void> {
  const folder = galleryFolder(home, gallery);
  for (const definition of visibleIn(folder)) await removeUnfinished(join(folder, definition));
}

const isUnfinished = (name: string) => name.startsWith(partialPrefix) || name.startsWith(deletingPrefix);

/** Removes what a killed command was making, deleting or writing. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const prefix of [partialPrefix, deletingPrefix]) await removeLeftovers(folder, prefix);
  for (const name of namesIn(folder))
    if (isAbandoned(join(folder, name))) await rm(join(folder, name), { force: true });
}

/** A temporary file of `writeFileAtomic` that is not being written. Its time is in the future if the clock was set back. */
function isAbandoned(path: string): boolean {
  if (!/^\..*\.tmp$/.test(basename(path))) return false;
  const writtenMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return writtenMs !== undefined && Math.abs(Date.now() - writtenMs) > WRITING_MS;
}
