// image/build/files/version-files.ts: what goes onto the base? What all images of a lock share; and what is one patch version's alone, with what the image says of itself.
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
  /** Those of components, as they are to be found on the image. */
  placed: readonly PlacedFile[];
}

export interface VersionFiles extends FileLayout {
  release: string;
}

/** What every image of the lock has besides its base, programs and container images: hashed anew, and written once for all of them. */
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

/** A store holds all container images of an image together: it is shared only if each of them is. */
export function sharedArtifacts({ lock, kubernetes }: ImageTarget): { programs: Artifact[]; images: Artifact[] } {
  const artifacts = artifactsOf(lock, kubernetes);
  const images = artifacts.filter(({ kind }) => kind === 'oci-image');
  return {
    programs: artifacts.filter((artifact) => isProgram(artifact) && artifact.kubernetes === undefined),
    images: images.every((image) => image.kubernetes === undefined) ? images : [],
  };
}

const isProgram = ({ kind }: Artifact) => kind === 'binary' || kind === 'archive';

/** What is this version's alone, in addition and instead. */
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
      // Last, so that a manifest may replace any of the above.
      ...given,
    ]),
  };
}

/** What this program adds that goes by the version. */
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
  if (artifact.install === undefined) throw new Error(`${artifact.component} does not say where it goes`);
  return [{ path: artifact.install.to.replace(/^\/+/, ''), mode: 0o755, from }];
}

function oncePerPath(files: readonly DiskFile[]): DiskFile[] {
  const placed = files.map((file) => ({ ...file, path: belowUsr(file.path) }));
  return [...new Map(placed.map((file) => [file.path, file])).values()];
}

/** `/bin` and its like are links on a Debian, and nothing is written through a link. */
export function belowUsr(path: string): string {
  return path.replace(/^(?=(?:bin|sbin|lib|lib32|lib64|libx32)\/)/, 'usr/');
}
