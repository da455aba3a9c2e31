// image/build/files/version-files.ts: which files are added to the base? Those that all images of a lock share, and those of one Kubernetes version.
import { join } from 'node:path';
import { artifactsOf } from '../../lock/content-hash.ts';
import type { Artifact } from '../../lock/lock.ts';
import type { ImageBuildDeps, ImageTarget } from '../contract.ts';
import type { DiskFile } from '../disk/put-files.ts';
import { containerImageFiles } from '../store/container-images.ts';
import { type PlacedFile, placedFiles } from './placed-files.ts';
import { type ReleaseFacts, renderContainerdFiles, renderRelease } from './release-file.ts';
import { KUBELET_WATCHDOG } from './units.ts';
import { unpackArchive } from './unpack-archive.ts';

export interface FileLayout {
  files: readonly DiskFile[];
  /** The files of components, for the test to check. */
  placed: readonly PlacedFile[];
}

export interface VersionFiles extends FileLayout {
  release: string;
}

/** Programs and container images that every image of the lock has. Hashes them again and writes them once. */
export async function layOutShared(target: ImageTarget, epochSec: number, deps: ImageBuildDeps): Promise<FileLayout> {
  const { programs, images } = sharedArtifacts(target);
  const placed = await Promise.all(programs.map((artifact) => filesOf(artifact, deps)));
  const store = images.length > 0 ? await containerImageFiles(target, epochSec, deps) : [];
  const components = oncePerPath(placed.flat());
  return {
    files: oncePerPath([...components, ...store]),
    placed: await placedFiles(components, deps.signal),
  };
}

/** An image has one store for all of its container images, so the store is shared only if all of them are. */
export function sharedArtifacts({ lock, kubernetes }: ImageTarget): { programs: Artifact[]; images: Artifact[] } {
  const artifacts = artifactsOf(lock, kubernetes);
  const images = artifacts.filter(({ kind }) => kind === 'oci-image');
  return {
    programs: artifacts.filter((artifact) => isProgram(artifact) && artifact.kubernetes === undefined),
    images: images.every((image) => image.kubernetes === undefined) ? images : [],
  };
}

const isProgram = ({ kind }: Artifact) => kind === 'binary' || kind === 'archive';

/** Files of one version; they add to the shared files or replace them. */
export async function layOutVersion(
  target: ImageTarget,
  facts: ReleaseFacts,
  epochSec: number,
  deps: ImageBuildDeps,
): Promise<VersionFiles> {
  const { lock, kubernetes } = target;
  const own = artifactsOf(lock, kubernetes).filter((artifact) => artifact.kubernetes !== undefined);
  const placed = await Promise.all(own.filter(isProgram).map((artifact) => filesOf(artifact, deps)));
  const hasStore = own.some(({ kind }) => kind === 'oci-image');
  const release = renderRelease(target, facts);
  const given = lock.files.map(({ to, mode, content }) => ({ path: to.replace(/^\/+/, ''), mode, bytes: content }));
  return {
    release,
    placed: await placedFiles(oncePerPath([...placed.flat(), ...given]), deps.signal),
    files: oncePerPath([
      { path: 'usr/lib/headstart/release.json', mode: 0o644, bytes: release },
      ...(await renderContainerdFiles(release)).map(({ path, text }) => ({ path, mode: 0o644, bytes: text })),
      ...ownFiles(target),
      ...placed.flat(),
      ...(hasStore ? await containerImageFiles(target, epochSec, deps) : []),
      // Last, so that a manifest can override all files above.
      ...given,
    ]),
  };
}

/** Version-specific files that this program adds. */
export function ownFiles({
  kubernetes,
}: Pick<ImageTarget, 'kubernetes'>): { path: string; mode: number; bytes: string }[] {
  const path = 'usr/lib/systemd/system/kubelet.service.d/10-headstart-watchdog.conf';
  return hasWatchdog(kubernetes) ? [{ path, mode: 0o644, bytes: KUBELET_WATCHDOG }] : [];
}

export function hasWatchdog(kubernetes: string): boolean {
  const [major = 0, minor = 0] = kubernetes.split('.').map(Number);
  return major > 1 || minor >= 32;
}

async function filesOf(artifact: Artifact, { cache, run, folder, signal }: ImageBuildDeps): Promise<DiskFile[]> {
  const from = await cache.open(artifact, { signal });
  if (artifact.kind === 'archive') {
    return unpackArchive(from, artifact, join(folder, 'archives', artifact.sha256), { run, signal });
  }
  if (artifact.install === undefined) throw new Error(`${artifact.component} has no install path`);
  return [{ path: artifact.install.to.replace(/^\/+/, ''), mode: 0o755, from }];
}

function oncePerPath(files: readonly DiskFile[]): DiskFile[] {
  const placed = files.map((file) => ({ ...file, path: belowUsr(file.path) }));
  return [...new Map(placed.map((file) => [file.path, file])).values()];
}

/** `/bin`, `/lib` and others are links on Debian, and files are not written through links. */
export function belowUsr(path: string): string {
  return path.replace(/^(?=(?:bin|sbin|lib|lib32|lib64|libx32)\/)/, 'usr/');
}
