// image/build/store/container-images.ts: how do container images get onto an image? As files of containerd's store, imported by the containerd of that image.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../base/errors.ts';
import { runTool } from '../../../host/run-tool.ts';
import { artifactsOf } from '../../lock/content-hash.ts';
import type { Artifact } from '../../lock/lock.ts';
import { imageRootRunner } from '../as-root.ts';
import type { ImageBuildDeps, ImageTarget } from '../contract.ts';
import type { DiskFile } from '../disk/put-files.ts';
import { makeContainerStore, type StoreImage, type StorePrograms } from './container-store.ts';
import { storeFiles } from './store-files.ts';

/** Empty for a lock without container images. The files belong to root or to users of a namespace, so reading them needs the same rights. */
export async function containerImageFiles(
  target: ImageTarget,
  epochSec: number,
  deps: ImageBuildDeps,
): Promise<DiskFile[]> {
  const artifacts = artifactsOf(target.lock, target.kubernetes);
  const wanted = artifacts.filter(({ kind }) => kind === 'oci-image');
  if (wanted.length === 0) return [];
  const images: StoreImage[] = [];
  for (const artifact of wanted) {
    const name = artifact.install?.to ?? artifact.component;
    images.push({ archive: await deps.cache.open(artifact, deps), name, pin: isPause(name) });
  }
  const programs = await unpackContainerd(target, deps);
  const store = await makeContainerStore(sortedByName(images), programs, { ...deps, epochSec });
  return storeFiles(store, { ...deps, runAsRoot: await imageRootRunner(deps.run, deps.isRoot) });
}

/** Pinned, because no pod starts without it, and kubelet's image garbage collection could delete it. */
export const isPause = (name: string): boolean => /\/pause:[^/]*$/.test(name);

/** Images are imported in a fixed order, because it decides the order of snapshots. */
const sortedByName = (images: readonly StoreImage[]) => images.toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Folders of the programs in Debian packages and in upstream archives. */
const PLACES = ['usr/bin', 'bin', 'usr/local/bin', '.'];

/** The containerd of the image, which also imports its container images. */
export function containerdOf({ lock, kubernetes }: ImageTarget): Artifact | undefined {
  return artifactsOf(lock, kubernetes).find(
    ({ component, kind }) => component === 'containerd' && (kind === 'deb' || kind === 'archive'),
  );
}

async function unpackContainerd(target: ImageTarget, deps: ImageBuildDeps): Promise<StorePrograms> {
  const found = containerdOf(target);
  if (!found) throw noContainerd('the lock has no component `containerd`, neither as a package nor as an archive');
  const folder = join(deps.folder, 'containerd-programs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = await deps.cache.open(found, deps);
  const tar = [
    'tar',
    '--extract',
    '--no-same-owner',
    '--force-local',
    `--file=${file}`,
    `--directory=${folder}`,
  ] as const;
  await runTool(deps.run, found.kind === 'deb' ? ['dpkg-deb', '--extract', file, folder] : tar, deps.signal);
  const place = PLACES.map((path) => join(folder, path)).find((path) => existsSync(join(path, 'containerd')));
  if (!place || !existsSync(join(place, 'ctr')))
    throw noContainerd(`containerd and ctr are not in any of the expected folders of ${found.path}`);
  return { containerd: join(place, 'containerd'), ctr: join(place, 'ctr') };
}

function noContainerd(why: string): UserError {
  return new UserError(`cannot import the container images: ${why}`, {
    code: 'image/no-containerd',
    kept: 'No image was built.',
    next: 'add containerd to the manifest, or remove the container images from it; then lock again',
  });
}
