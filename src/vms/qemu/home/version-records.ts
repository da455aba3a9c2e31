// vms/qemu/home/version-records.ts: list image versions on this machine, resolve a reference to a version, and verify its checksums.
import { join } from 'node:path';
import { UserError } from '../../../base/errors.ts';
import { NotFound, Refused } from '../../../base/failures.ts';
import { checksumFile } from '../../../host/file-sum.ts';
import { visibleIn } from '../../../host/whole-folders.ts';
import type { ImageRef } from '../../pools.ts';
import {
  definitionFolder,
  parseDefinitionId,
  parseVersionId,
  type VersionId,
  versionFileNames,
  versionFolder,
  versionId,
} from './layout.ts';
import { readHomeRecord } from './record-file.ts';
import { type VersionRecord, versionRecordSchema } from './records.ts';

export function readVersionRecord(home: string, id: VersionId): VersionRecord | undefined {
  return readHomeRecord(join(versionFolder(home, id), versionFileNames.record), versionRecordSchema);
}

/** Newest first. Versions are three numbers: 2026.10.2 is newer than 2026.9.30. */
export function versionNamesIn(home: string, { gallery, definition }: Omit<VersionId, 'version'>): string[] {
  return visibleIn(definitionFolder(home, gallery, definition))
    .filter((name) => parseVersionId(versionId({ gallery, definition, version: name })))
    .filter((version) => readVersionRecord(home, { gallery, definition, version }))
    .sort(newestFirst);
}

/** The version that a new instance would be made from. Throws `NotFound` when it does not exist. */
export function resolveVersion(home: string, image: ImageRef): { id: VersionId; record: VersionRecord } {
  if (image.kind !== 'version' && image.kind !== 'definition')
    throw new Refused('a local pool needs an image version from a local gallery', 'vms/not-a-local-image');
  const pinned = image.kind === 'version' ? parseVersionId(image.id) : newestOf(home, image.id);
  const record = pinned && readVersionRecord(home, pinned);
  if (!pinned || !record) throw new NotFound(`image ${image.id}`);
  return { id: pinned, record };
}

/** Reads every byte. Throws when a checksum differs from the published one. */
export async function verifyVersion(home: string, id: VersionId, signal?: AbortSignal): Promise<void> {
  const record = readVersionRecord(home, id);
  if (!record) throw new NotFound(`image ${versionId(id)}`);
  const folder = versionFolder(home, id);
  for (const [part, published] of Object.entries(record.files)) {
    const file = join(folder, versionFileNames[part as keyof VersionRecord['files']]);
    const { sha256 } = await checksumFile(file, signal).catch((error) => {
      signal?.throwIfAborted();
      throw damaged(file, error);
    });
    if (sha256 !== published.sha256) throw damaged(file);
  }
}

function newestOf(home: string, id: string): VersionId | undefined {
  const definition = parseDefinitionId(id);
  if (!definition) return undefined;
  const version = versionNamesIn(home, definition).find(
    (name) => !readVersionRecord(home, { ...definition, version: name })?.isExcludedFromLatest,
  );
  return version === undefined ? undefined : { ...definition, version };
}

function newestFirst(a: string, b: string): number {
  const [left, right] = [a, b].map((name) => name.split('.').map(Number));
  for (let i = 0; i < 3; i++) if (left![i] !== right![i]) return right![i]! - left![i]!;
  return 0;
}

function damaged(file: string, cause?: unknown): UserError {
  return new UserError(`${file} is damaged: its checksum differs from the published one, or it cannot be read`, {
    code: 'vms/version-damaged',
    next: 'delete that version and make it again; instances based on it are damaged too',
    exitCode: 1,
    cause,
  });
}
