// vms/qemu/images/versions.ts: list, read, change and delete the versions of a definition.
import { join } from 'node:path';
import type { CallOptions } from '../../../base/call-options.ts';
import { NotFound, Refused } from '../../../base/failures.ts';
import { withLock } from '../../../host/locks.ts';
import { removeAtomically } from '../../../host/whole-folders.ts';
import type { Definition, Version } from '../../gallery.ts';
import type { TagChange } from '../../pools.ts';
import type { Home } from '../context.ts';
import { homeLock, type VersionId, versionFileNames, versionFolder, versionId } from '../home/layout.ts';
import { writeHomeRecord } from '../home/record-file.ts';
import type { VersionRecord } from '../home/records.ts';
import { versionUsers } from '../home/references.ts';
import { readVersionRecord, versionNamesIn } from '../home/version-records.ts';
import { tagsAfter } from '../pools/tags.ts';
import { toGib } from './disks.ts';

export async function listVersions({ home }: Home, definition: Definition): Promise<Version[]> {
  const all = versionNamesIn(home, idOf(definition, '')).map((name) => readVersion({ home }, definition, name));
  return (await Promise.all(all)).filter((one) => one !== undefined);
}

export async function readVersion({ home }: Home, definition: Definition, name: string): Promise<Version | undefined> {
  const id = idOf(definition, name);
  const record = readVersionRecord(home, id);
  if (!record) return undefined;
  const { isExcludedFromLatest, replicas, redundancy, createdMs, tags } = record;
  const made = { isExcludedFromLatest, replicas, redundancy, createdMs, tags };
  // A version is renamed into place when complete, so it is always ready.
  return { name, id: versionId(id), state: 'ready', percent: 100, sizeGb: toGib(record.diskBytes), ...made };
}

export async function setExcludedFromLatest(
  { home }: Home,
  definition: Definition,
  name: string,
  isExcluded: boolean,
  options?: CallOptions,
): Promise<void> {
  await changeRecord(home, definition, name, options, () => ({ isExcludedFromLatest: isExcluded }));
}

export async function tagVersion(
  { home }: Home,
  definition: Definition,
  name: string,
  changes: TagChange,
  options?: CallOptions,
): Promise<void> {
  await changeRecord(home, definition, name, options, ({ tags }) => ({ tags: tagsAfter(tags, changes) }));
}

async function changeRecord(
  home: string,
  definition: Definition,
  name: string,
  options: CallOptions | undefined,
  change: (seen: VersionRecord) => Partial<VersionRecord>,
): Promise<void> {
  const id = idOf(definition, name);
  await withLock(home, { name: homeLock, why: `changing image version ${name}` }, options, async () => {
    const record = readVersionRecord(home, id);
    if (!record) throw new NotFound(`image version ${definition.name}/${name}`);
    writeHomeRecord(join(versionFolder(home, id), versionFileNames.record), { ...record, ...change(record) });
  });
}

/** Throws `Refused` while a pool, instance or snapshot uses the version. */
export async function deleteVersion(
  { home }: Home,
  definition: Definition,
  name: string,
  options?: CallOptions,
): Promise<void> {
  const id = idOf(definition, name);
  await withLock(home, { name: homeLock, why: `deleting image version ${name}` }, options, async () => {
    const user = versionUsers(home).get(versionId(id));
    if (user) throw new Refused(`image version ${definition.name}/${name} is in use by ${user}`, 'vms/in-use');
    await removeAtomically(versionFolder(home, id));
  });
}

function idOf({ gallery, name: definition }: Definition, version: string): VersionId {
  return { gallery, definition, version };
}
