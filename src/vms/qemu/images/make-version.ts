// vms/qemu/images/make-version.ts: make an image version from a disk. It is built in a temporary folder with checksums, then renamed: all or nothing.
import { chmod, link, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallOptions } from '../../../base/call-options.ts';
import type { Clock } from '../../../base/clock.ts';
import type { RunCommand } from '../../../base/command.ts';
import { NotFound, Refused } from '../../../base/failures.ts';
import { statfsFree } from '../../../host/disk-space.ts';
import { checksumFile, fileSizeBytes, syncFiles } from '../../../host/file-sum.ts';
import { withLock } from '../../../host/locks.ts';
import { runTool } from '../../../host/run-tool.ts';
import { namesIn, partialPrefix } from '../../../host/whole-folders.ts';
import type { DefinitionSpec, VersionSpec } from '../../gallery.ts';
import type { DiskCopy, QemuContext } from '../context.ts';
import { ensureSpace } from '../home/ensure-space.ts';
import {
  definitionFolder,
  galleryLock,
  parseSnapshotId,
  snapshotFolder,
  snapshotRecord,
  type VersionId,
  versionFileNames,
  versionFolder,
  versionId,
} from '../home/layout.ts';
import { tidyGallery } from '../home/pool-lock.ts';
import { readHomeRecord, writeHomeRecord } from '../home/record-file.ts';
import { type BootFacts, bootFactsOf, snapshotRecordSchema, type VersionRecord } from '../home/records.ts';
import { readVersionRecord } from '../home/version-records.ts';
import { region } from '../machine/metadata.ts';
import { compress, diskSize, flatBytes, flatten, type QemuImgDeps } from './disks.ts';
import { ensureDefinition, readDefinition } from './galleries.ts';

/** Returns when the version is ready. Succeeds when it already exists. */
export async function beginVersion(context: QemuContext, spec: VersionSpec, options: CallOptions = {}): Promise<void> {
  const { home } = context;
  const { definition, name, snapshotId } = spec;
  const id: VersionId = { gallery: definition.gallery, definition: definition.name, version: name };
  if (readVersionRecord(home, id)) return;
  const snapshot = parseSnapshotId(snapshotId);
  if (snapshot === undefined) throw new NotFound(`snapshot ${snapshotId}`);
  if (!(await readDefinition(context, definition.gallery, definition.name)))
    throw new NotFound(`image definition ${definition.gallery}/${definition.name}`);
  const from = snapshotFolder(home, snapshot);
  const record = readHomeRecord(join(from, snapshotRecord), snapshotRecordSchema);
  if (!record) throw new NotFound(`snapshot ${snapshot}`);
  const { isExcludedFromLatest, replicas, redundancy, tags } = spec;
  await placeVersion(context, id, options, {
    files: filesIn(from),
    take: shareFile,
    facts: {
      ...{ isExcludedFromLatest, replicas, redundancy, tags },
      ...bootFactsOf({ ...record, cloudInit: context.cloudInit ?? record.cloudInit }),
    },
    ...(context.scrub && { edit: context.scrub }),
  });
}

/** By default the version boots with cloud-init, from a disk that is one file system. */
export interface PublishSpec extends Partial<BootFacts> {
  definition: DefinitionSpec;
  /** Three integers, `2026.11.15`. */
  name: string;
  tags: Readonly<Record<string, string>>;
  isExcludedFromLatest?: boolean;
}

/** Without a kernel, the firmware boots the disk. */
export interface PublishFiles {
  /** qcow2; the file is copied, not moved. */
  disk: string;
  /** The disk is copied uncompressed and may have a backing file; for short-lived versions. */
  isLoose?: true;
  kernel?: { vmlinux: string; initrd: string };
}

export interface PublishDeps {
  home: string;
  clock: Clock;
  run: RunCommand;
}

/** Adds files made elsewhere (a base image) as a version, and makes its definition. Returns the id. Succeeds when the version exists. */
export async function publishVersion(
  deps: PublishDeps,
  spec: PublishSpec,
  files: PublishFiles,
  options: CallOptions = {},
): Promise<string> {
  await mkdir(deps.home, { recursive: true, mode: 0o700 });
  const definition = await ensureDefinition(deps, spec.definition, region, options);
  const id: VersionId = { gallery: definition.gallery, definition: definition.name, version: spec.name };
  const { isExcludedFromLatest = false, tags } = spec;
  await placeVersion({ ...deps, freeBytes: statfsFree }, id, options, {
    files,
    take: copyFile,
    facts: {
      ...{ isExcludedFromLatest, replicas: 1, redundancy: 'local', tags },
      ...bootFactsOf({ cloudInit: 'on', ...spec }),
    },
  });
  return versionId(id);
}

interface VersionSource {
  files: PublishFiles;
  /** How the kernel files get into the version's folder. */
  take: CopyFile;
  facts: BootFacts & Pick<VersionRecord, 'isExcludedFromLatest' | 'replicas' | 'redundancy' | 'tags'>;
  edit?: (copy: DiskCopy, options: CallOptions) => Promise<void>;
}

type CopyFile = (run: RunCommand, from: string, to: string, signal?: AbortSignal) => Promise<unknown>;
type PlaceVersionDeps = PublishDeps & Pick<QemuContext, 'freeBytes'>;

/** One at a time per gallery: unfinished files found under the lock are from a killed command. */
async function placeVersion(
  deps: PlaceVersionDeps,
  id: VersionId,
  options: CallOptions,
  making: VersionSource,
): Promise<void> {
  const { home } = deps;
  const why = `making image version ${id.definition}/${id.version}`;
  await withLock(home, { name: galleryLock(id.gallery), why }, options, async () => {
    await tidyGallery(home, id.gallery);
    if (readVersionRecord(home, id)) return;
    const folder = definitionFolder(home, id.gallery, id.definition);
    const work = await mkdtemp(join(folder, partialPrefix));
    try {
      await fill(deps, work, id.version, options, making);
      await rename(work, versionFolder(home, id));
      await syncFiles([folder]);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}

async function fill(
  deps: PlaceVersionDeps,
  work: string,
  name: string,
  options: CallOptions,
  { files, take, facts, edit }: VersionSource,
): Promise<void> {
  const { run, clock } = deps;
  const { signal, onWaiting } = options;
  const disks = { run, signal };
  const kernelBytes = files.kernel
    ? (await fileSizeBytes(files.kernel.vmlinux)) + (await fileSizeBytes(files.kernel.initrd))
    : 0;
  // The flat copy, and in the worst case as much again for the compressed disk.
  const diskBytes = files.isLoose ? await fileSizeBytes(files.disk) : 2 * (await flatBytes(disks, files.disk));
  await ensureSpace(deps, diskBytes + kernelBytes, `image version ${name}`);

  const place = (part: keyof typeof versionFileNames) => join(work, versionFileNames[part]);
  if (files.kernel) {
    await take(run, files.kernel.vmlinux, place('vmlinux'), signal);
    await take(run, files.kernel.initrd, place('initrd'), signal);
  }
  if (edit) await compressEdited(options, disks, { work, files, place, edit, facts });
  else if (files.isLoose) await take(run, files.disk, place('disk'), signal);
  else {
    onWaiting?.('the compressed disk');
    await compress(disks, { from: files.disk, format: 'qcow2', to: place('disk') });
  }

  onWaiting?.('the checksums');
  const record: VersionRecord = {
    name,
    createdMs: clock.nowMs(),
    ...facts,
    diskBytes: (await diskSize(disks, place('disk'))).virtualBytes,
    files: {
      disk: await checksumFile(place('disk'), signal),
      ...(files.kernel && {
        vmlinux: await checksumFile(place('vmlinux'), signal),
        initrd: await checksumFile(place('initrd'), signal),
      }),
    },
  };
  writeHomeRecord(place('record'), record);
  const bytes = [place('disk'), ...(files.kernel ? [place('vmlinux'), place('initrd')] : [])];
  for (const file of bytes) await chmod(file, 0o400); // overlays are based on these files: they must never change
  await syncFiles([...bytes, work]);
}

/** Edits the copy, never the original disk. */
async function compressEdited(
  options: CallOptions,
  disks: QemuImgDeps,
  {
    work,
    files,
    place,
    edit,
    facts: { root },
  }: Pick<VersionSource, 'files' | 'facts'> & {
    work: string;
    place: (part: 'disk' | 'vmlinux' | 'initrd') => string;
    edit: NonNullable<VersionSource['edit']>;
  },
): Promise<void> {
  if (!files.kernel)
    throw new Refused('cannot scrub an image that has no kernel file next to its disk', 'vms/cannot-scrub');
  const { onWaiting } = options;
  const flat = join(work, 'flat.raw');
  const workFolder = join(work, 'scrub');
  await mkdir(workFolder, { mode: 0o700 });
  onWaiting?.('the copy of the disk');
  await flatten(disks, files.disk, flat);
  onWaiting?.('the scrub of the copy');
  const copy = { disk: flat, vmlinux: place('vmlinux'), initrd: place('initrd'), workFolder };
  await edit({ ...copy, ...(root !== undefined && { root }) }, options);
  onWaiting?.('the compressed disk');
  await compress(disks, { from: flat, format: 'raw', to: place('disk') });
  await rm(flat);
  await rm(workFolder, { recursive: true, force: true });
}

/** Published files never change, so a hard link is enough. */
export const shareFile: CopyFile = (_run, from, to) => link(from, to);

const copyFile: CopyFile = (run, from, to, signal) => runTool(run, ['cp', '--reflink=auto', from, to], signal);

export function filesIn(folder: string): PublishFiles {
  const [vmlinux, initrd] = [join(folder, versionFileNames.vmlinux), join(folder, versionFileNames.initrd)];
  const hasKernel = namesIn(folder).includes(versionFileNames.vmlinux);
  return { disk: join(folder, versionFileNames.disk), ...(hasKernel && { kernel: { vmlinux, initrd } }) };
}
