// vms/qemu/home/references.ts: which pools, instances and snapshots refer to an image version? A version in use is never deleted.
import { join } from 'node:path';
import { NotFound } from '../../../base/failures.ts';
import { visibleIn } from '../../../host/whole-folders.ts';
import type { Definition } from '../../gallery.ts';
import type { Home } from '../context.ts';
import {
  instanceFiles,
  instancesFolder,
  poolFolder,
  poolRecord,
  poolsFolder,
  snapshotRecord,
  snapshotsFolder,
  versionId,
} from './layout.ts';
import { readHomeRecord } from './record-file.ts';
import { instanceRecordSchema, poolRecordSchema, snapshotRecordSchema } from './records.ts';
import { resolveVersion } from './version-records.ts';

/** The definition's versions that a pool model or an instance refers to. */
export async function referencedImages({ home }: Home, definition: Definition): Promise<ReadonlySet<string>> {
  const ids = [...referencedByPools(home).keys()];
  return new Set(ids.filter((id) => id.startsWith(`${definition.id}/`)));
}

/** Version id → a description of what refers to it. */
export function versionUsers(home: string): ReadonlyMap<string, string> {
  const users = referencedByPools(home);
  for (const snapshot of visibleIn(snapshotsFolder(home))) {
    const record = readHomeRecord(join(snapshotsFolder(home), snapshot, snapshotRecord), snapshotRecordSchema);
    if (record) users.set(record.backing, `snapshot ${snapshot}`);
  }
  return users;
}

function referencedByPools(home: string): Map<string, string> {
  const users = new Map<string, string>();
  for (const pool of visibleIn(poolsFolder(home))) {
    const model = readHomeRecord(join(poolFolder(home, pool), poolRecord), poolRecordSchema)?.spec.image;
    if (model) for (const id of resolvedIds(home, model)) users.set(id, `the model of pool ${pool}`);
    for (const instance of visibleIn(instancesFolder(home, pool))) {
      const record = readHomeRecord(
        join(instancesFolder(home, pool), instance, instanceFiles.record),
        instanceRecordSchema,
      );
      if (record) users.set(record.image.id, `instance ${instance}`);
    }
  }
  return users;
}

/** A reference to a definition resolves to its newest version. */
function resolvedIds(home: string, image: Parameters<typeof resolveVersion>[1]): string[] {
  try {
    return [versionId(resolveVersion(home, image).id)];
  } catch (error) {
    if (error instanceof NotFound) return [];
    throw error;
  }
}
