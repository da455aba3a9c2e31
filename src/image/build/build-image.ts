// image/build/build-image.ts: from a lock and one of its patch versions to a folder of files that can be published: base → root → disk → facts.
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { rootRunner } from '../../vms/qemu/base/as-root.ts';
import { statfsFree } from '../../vms/qemu/disk-space.ts';
import { type FileSum, sumOf } from '../../vms/qemu/disks.ts';
import { isFull } from '../../vms/qemu/json-file.ts';
import { imageBuildLock } from '../../vms/qemu/layout.ts';
import { withLock } from '../../vms/qemu/locks.ts';
import { runTool } from '../../vms/qemu/tools.ts';
import { BUILD_RECORD, readBuild, verifyBuild } from '../build-folder.ts';
import { artifactsOf } from '../content-hash.ts';
import { listImages, renderImageList } from '../image-list.ts';
import { definitionName, versionName, versionWord } from '../names.ts';
import { renderLock } from '../read-lock.ts';
import { makeSbom } from '../sbom.ts';
import { ensureBaseLayer } from './base-layer.ts';
import { kernelCommandLine } from './boot-files.ts';
import type { BuildEdges, BuildRecord, Target } from './contract.ts';
import { dataRanges } from './data-ranges.ts';
import { type Format, makeDisk } from './disk.ts';
import { imageContent } from './image-content.ts';
import { imageInArchive } from './oci-archive.ts';
import { inPlaceOf } from './replace-folder.ts';
import { ensureRoom } from './room.ts';
import { type MadeRoot, makeRoot } from './root-image.ts';
import { sumWhole } from './sparse-copy.ts';

export interface BuildOptions {
  /** Images are folders in it. */
  out: string;
  formats: readonly Format[];
}

export interface Built {
  folder: string;
  record: BuildRecord;
  /** false: it was there already, byte for byte. */
  isNew: boolean;
  warnings: readonly string[];
}

export type MachineEdges = Omit<BuildEdges, 'folder'>;

/** Nothing is fetched. What was in its place stays until the new one is whole. */
export async function buildImage(target: Target, options: BuildOptions, edges: MachineEdges): Promise<Built> {
  const { out, formats } = options;
  const { lock, kubernetes } = target;
  const contentSha256 = await imageContent(target);
  const folder = buildFolder(target, out);
  const there = await sameBuild(folder, contentSha256, formats, edges);
  if (there) return { folder, record: there, isNew: false, warnings: [] };
  await mkdir(out, { recursive: true });
  // The root, and the disk in each format; holes take no room.
  const neededBytes = (1 + formats.length) * Math.min(lock.disk.budgetMb, lock.disk.sizeMb) * 2 ** 20;
  const room = { what: `the image ${lock.name} ${kubernetes}`, bytes: neededBytes, option: '--out' } as const;
  ensureRoom(out, await statfsFree(out), room);
  const { signal, onWaiting } = edges;
  const waiting = { ...(signal && { signal }), ...(onWaiting && { onWaiting }) };
  // What a container store is made of may belong to a namespace's users.
  const runAsRoot = await rootRunner(edges.run, edges.isRoot);
  const remove = async (path: string) => {
    await runTool(runAsRoot, ['rm', '-rf', '--one-file-system', path]);
  };
  const make = () =>
    inPlaceOf(folder, remove, async (work) => {
      const [files, scratch] = [join(work, 'files'), join(work, 'scratch')];
      await mkdir(files);
      await mkdir(scratch, { mode: 0o700 });
      const { record, warnings } = await fill(target, contentSha256, files, formats, { ...edges, folder: scratch });
      return { from: files, result: { folder, record, isNew: true, warnings } };
    });
  const why = `building ${lock.name} ${kubernetes}`;
  return withLock(edges.cache.folder, { name: imageBuildLock, why }, waiting, async () => {
    // Whoever held the lock may have made it.
    const made = await sameBuild(folder, contentSha256, formats, edges);
    return made ? { folder, record: made, isNew: false, warnings: [] } : orFull(out, make);
  });
}

/** `<out>/node-1.35.8-2026.1116.0`. */
export function buildFolder({ lock, kubernetes }: Target, out: string): string {
  return join(out, `${definitionName(lock.name, kubernetes)}-${versionName(lock.base)}`);
}

/** Of the same content, with every byte as it was built. */
async function sameBuild(
  folder: string,
  contentSha256: string,
  formats: readonly Format[],
  { signal, onWaiting }: MachineEdges,
): Promise<BuildRecord | undefined> {
  try {
    const record = await readBuild(folder);
    if (record.contentSha256 !== contentSha256 || formats.some((format) => !record.files[diskName(format)]))
      return undefined;
    await verifyBuild(folder, record, { signal, ...(onWaiting && { onWaiting }) });
    return record;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UserError) return undefined; // none there, or not as it was: it is made anew
    throw error;
  }
}

const diskName = (format: Format) => `disk.${format}`;

async function fill(
  target: Target,
  contentSha256: string,
  files: string,
  formats: readonly Format[],
  edges: BuildEdges,
): Promise<{ record: BuildRecord; warnings: readonly string[] }> {
  const { signal, onWaiting, onDone } = edges;
  const { lock, kubernetes } = target;
  const layer = await ensureBaseLayer(lock, edges);
  onDone?.(layer.isNew ? 'base layer made' : 'base layer verified');
  const root = await makeRoot(target, layer, contentSha256, edges);
  const disk = await makeDisk(root, { ...edges, folder: files, want: formats });
  for (const format of ['raw', 'qcow2', 'vhd'] as const) {
    if (!formats.includes(format)) await rm(join(files, diskName(format)), { force: true });
  }
  onDone?.('disk made');
  await copyFile(root.kernel.vmlinux, join(files, 'vmlinux'));
  await copyFile(root.kernel.initrdPlain, join(files, 'initrd.cpio'));
  const texts = await textsOf(target, contentSha256, root, edges);
  for (const [name, text] of Object.entries(texts)) await writeFile(join(files, name), text);
  onWaiting?.('the checksums');
  const names = [...formats.map(diskName), 'vmlinux', 'initrd.cpio', ...Object.keys(texts)].sort();
  const sums = await Promise.all(
    names.map(async (name): Promise<[string, FileSum]> => {
      const file = join(files, name);
      const isMostlyHoles = name === diskName('raw') || name === diskName('vhd');
      if (!isMostlyHoles) return [name, await sumOf(file, signal)];
      return [name, await sumWhole({ file, ranges: await dataRanges(file, edges.run, signal), signal })];
    }),
  );
  const record: BuildRecord = {
    apiVersion: 'headstart.dev/v1',
    kind: 'ImageBuild',
    name: lock.name,
    version: versionWord(kubernetes, lock.base),
    kubernetes,
    architecture: lock.architecture,
    contentSha256,
    base: { origin: lock.base.origin, date: lock.base.date, patch: lock.base.patch },
    kernelRelease: root.kernel.release,
    kernelArgs: kernelCommandLine(disk.root, root.kernel.args),
    root: disk.root,
    contentBytes: root.contentBytes,
    diskBytes: disk.sizeBytes,
    files: Object.fromEntries(sums.map(([name, { sha256, bytes }]) => [name, { sha256, bytes }])),
  };
  await writeFile(join(files, BUILD_RECORD), `${JSON.stringify(record, null, 2)}\n`);
  for (const name of [...names, BUILD_RECORD]) await chmod(join(files, name), 0o444);
  onDone?.('checksums');
  return { record, warnings: root.warnings };
}

async function textsOf(
  target: Target,
  contentSha256: string,
  root: MadeRoot,
  edges: BuildEdges,
): Promise<Record<string, string>> {
  const { lock, kubernetes } = target;
  const images = listImages(lock, kubernetes, await digestsOf(target, edges));
  return {
    'lock.json': renderLock(lock),
    'release.json': root.release,
    'images.json': renderImageList(images),
    'sbom.cdx.json': makeSbom(lock, kubernetes, { contentSha256, images }),
  };
}

/** Of the container images' manifests, by component. */
async function digestsOf(
  { lock, kubernetes }: Target,
  { cache, run, signal }: BuildEdges,
): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const artifact of artifactsOf(lock, kubernetes).filter(({ kind }) => kind === 'oci-image')) {
    const archive = await cache.open(artifact, { signal });
    const name = artifact.install?.to ?? artifact.component;
    const { digest } = await imageInArchive(archive, name, { run, architecture: lock.architecture, signal });
    digests[artifact.component] = digest;
  }
  return digests;
}

async function orFull<T>(out: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isFull(cause)) throw cause;
    throw new UserError(`the disk is full: the image could not be written to ${out}`, {
      code: 'image/no-space',
      kept: 'What was there before is as it was.',
      next: 'free some space, or name a folder on another disk with --out; then run the same command again',
      exitCode: 1,
      cause,
    });
  }
}
