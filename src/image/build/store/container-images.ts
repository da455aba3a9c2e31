// image/build/store/container-images.ts: the container images that one image comes with, as files for its file system, imported by the containerd that it comes with.
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

/** None for a lock without container images. Those of a store belong to root or to root's users in a namespace: whoever reads them has to be that. */
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

/** Without it no pod starts, and kubelet's clean-up does not know that. */
export const isPause = (name: string): boolean => /\/pause:[^/]*$/.test(name);

/** The order in which they are imported is the order of their snapshots, and is not to hang on anything else. */
const sortedByName = (images: readonly StoreImage[]) => images.toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** Where a Debian package and where an upstream archive has them. */
const PLACES = ['usr/bin', 'bin', 'usr/local/bin', '.'];

/** The one that is on the image, and imports what is to be. */
export function containerdOf({ lock, kubernetes }: ImageTarget): Artifact | undefined {
  return artifactsOf(lock, kubernetes).find(
    ({ component, kind }) => component === 'containerd' && (kind === 'deb' || kind === 'archive'),
  );
}

async function unpackContainerd(target: ImageTarget, deps: ImageBuildDeps): Promise<StorePrograms> {
  const found = containerdOf(target);
  if (!found)
    throw noContainerd('there is no component `containerd` in the lock, neither as a package nor as an archive');
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
    throw noContainerd(`neither containerd nor ctr is where it is looked for in ${found.path}`);
  return { containerd: join(place, 'containerd'), ctr: join(place, 'ctr') };
}

function noContainerd(why: string): UserError {
  return new UserError(`the container images cannot be imported: ${why}`, {
    code: 'image/no-containerd',
    kept: 'No image was made.',
    next: 'add containerd to the manifest, or take the container images out of it; then lock again',
  });
}
