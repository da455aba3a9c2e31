// image/build/build-image.ts: from a base and what one patch version adds to it to a folder of files that can be published: root → disk → facts.
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { statfsFree } from '../../host/disk-space.ts';
import { type FileSum, sumOf } from '../../host/file-sum.ts';
import { runTool } from '../../host/run-tool.ts';
import { artifactsOf } from '../lock/content-hash.ts';
import { renderLock } from '../lock/read-lock.ts';
import { definitionName, versionName, versionWord } from '../publish/names.ts';
import { listImages, renderImageList } from '../report/image-list.ts';
import { makeSbom } from '../report/sbom.ts';
import { readTest, writeTest } from '../test/record.ts';
import { ofBuild } from '../test/verdict.ts';
import { imageRootRunner } from './as-root.ts';
import type { BaseLayer } from './base/base-layer.ts';
import { BUILD_RECORD, readBuild, verifyBuild } from './build-folder.ts';
import type { BuildEdges, BuildRecord, Target } from './contract.ts';
import { kernelCommandLine } from './disk/boot-files.ts';
import { dataRanges } from './disk/data-ranges.ts';
import { type Format, makeDisk } from './disk/disk.ts';
import { PLACED_FILES, renderPlaced } from './files/placed-files.ts';
import { imageContent } from './image-content.ts';
import { inPlaceOf } from './replace-folder.ts';
import { ensureRoom, type Need, orFull } from './room.ts';
import { type MadeRoot, makeRoot } from './root-image.ts';
import { imageInArchive } from './store/oci-archive.ts';
import { sumBeside } from './sum-beside.ts';

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

/** The one that is there, of the same content, in all formats that are wanted, with every byte as it was built. */
export async function findSame(
  target: Target,
  { out, formats }: BuildOptions,
  edges: Pick<MachineEdges, 'tools' | 'signal' | 'onWaiting'>,
): Promise<Built | undefined> {
  const { signal, onWaiting } = edges;
  const folder = buildFolder(target, out);
  const record = await recordOf(folder, await imageContent(target, edges.tools));
  if (!record || formats.some((format) => !record.files[diskName(format)])) return undefined;
  try {
    await verifyBuild(folder, record, { signal, ...(onWaiting && { onWaiting }) });
    return { folder, record, isNew: false, warnings: [] };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UserError) return undefined; // not as it was: it is made anew
    throw error;
  }
}

/** Nothing is fetched. What was in its place stays until the new one is whole. One at a time for each image. */
export async function buildImage(
  target: Target,
  layer: BaseLayer,
  { out, formats }: BuildOptions,
  edges: MachineEdges,
): Promise<Built> {
  const contentSha256 = await imageContent(target, edges.tools);
  const folder = buildFolder(target, out);
  // The same content in other formats, and what a test has found out about it, is worth as much as before.
  const before = await recordOf(folder, contentSha256);
  const all = FORMATS.filter((format) => formats.includes(format) || before?.files[diskName(format)]);
  const test = before && (await readTest(folder));
  await mkdir(out, { recursive: true });
  ensureRoom(out, await statfsFree(out), neededFor(target, all));
  // What a container store is made of may belong to a namespace's users.
  const runAsRoot = await imageRootRunner(edges.run, edges.isRoot);
  const remove = async (path: string) => {
    await runTool(runAsRoot, ['rm', '-rf', '--one-file-system', path]);
  };
  return orFull(out, '--out', () =>
    inPlaceOf(folder, remove, async (work) => {
      const [files, scratch] = [join(work, 'files'), join(work, 'scratch')];
      await mkdir(files);
      await mkdir(scratch, { mode: 0o700 });
      const { record, warnings } = await fill(target, layer, { contentSha256, files, formats: all }, edges, scratch);
      const good = test && ofBuild(test, record);
      if (good) writeTest(files, good);
      return { from: files, result: { folder, record, isNew: true, warnings } };
    }),
  );
}

const FORMATS: readonly Format[] = ['raw', 'qcow2', 'vhd'];

function neededFor({ lock, kubernetes }: Target, formats: readonly Format[]): Need {
  // The disk in each format, and the raw one is there meanwhile; holes take no room.
  const disks = Math.max(formats.length, formats.includes('qcow2') ? 2 : 1);
  const bytes = disks * Math.min(lock.disk.budgetMb, lock.disk.sizeMb) * 2 ** 20;
  return { what: `the image ${lock.name} ${kubernetes}`, bytes, option: '--out' };
}

/** `<out>/node-1.35.8-2026.1116.0`. */
export function buildFolder({ lock, kubernetes }: Target, out: string): string {
  return join(out, `${definitionName(lock.name, kubernetes)}-${versionName(lock.base)}`);
}

/** Of the same content; nobody has looked at its files. */
async function recordOf(folder: string, contentSha256: string): Promise<BuildRecord | undefined> {
  try {
    const record = await readBuild(folder);
    return record.contentSha256 === contentSha256 ? record : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined; // none there
    throw error;
  }
}

const diskName = (format: Format) => `disk.${format}`;

interface Order {
  contentSha256: string;
  /** Where the files go. */
  files: string;
  formats: readonly Format[];
}

async function fill(
  target: Target,
  layer: BaseLayer,
  { contentSha256, files, formats }: Order,
  machine: MachineEdges,
  folder: string,
): Promise<{ record: BuildRecord; warnings: readonly string[] }> {
  const edges: BuildEdges = { ...machine, folder };
  const { signal, onWaiting, onDone } = edges;
  const { lock, kubernetes } = target;
  const root = await makeRoot(target, layer, { contentSha256, disk: join(files, diskName('raw')) }, edges);
  const disk = await makeDisk(root, { ...edges, want: formats });
  if (!formats.includes('raw')) await rm(join(files, diskName('raw')), { force: true });
  onDone?.('disk made');
  await writeFile(join(files, 'vmlinux'), root.kernel.vmlinux);
  await writeFile(join(files, 'initrd.cpio'), root.kernel.initrdPlain);
  const texts = await textsOf(target, contentSha256, root, edges);
  for (const [name, text] of Object.entries(texts)) await writeFile(join(files, name), text);
  onWaiting?.('the checksums');
  const names = [...formats.map(diskName), 'vmlinux', 'initrd.cpio', ...Object.keys(texts)].sort();
  const sums = await Promise.all(
    names.map(async (name): Promise<[string, FileSum]> => {
      const file = join(files, name);
      if (!name.startsWith('disk.')) return [name, await sumOf(file, signal)];
      return [name, await sumBeside({ file, ranges: await dataRanges(file, edges.run, signal), signal })];
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
    [PLACED_FILES]: renderPlaced(root.placed),
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
