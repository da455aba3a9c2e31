// image/build/store/container-store.ts: container images as containerd keeps them once they are imported and unpacked, so that no node has to do it at boot.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../base/errors.ts';
import { runTool } from '../../../host/run-tool.ts';
import { imageRootRunner } from '../as-root.ts';
import type { ImageBuildDeps } from '../contract.ts';
import { finishStore } from './finish-store.ts';
import { importImages } from './import-images.ts';
import { type ArchiveImage, imageInArchive } from './oci-archive.ts';

export interface StoreImage {
  /** A tar of an OCI image layout, already known to be what the lock says. */
  archive: string;
  /** What it is to be called: `registry.k8s.io/pause:3.10`. */
  name: string;
  /** Never removed by kubelet's clean-up. */
  pin: boolean;
}

/** Programs of the very version that is on the image; this machine has to be able to run them. */
export interface StorePrograms {
  containerd: string;
  ctr: string;
}

export interface StoreDeps extends Pick<ImageBuildDeps, 'run' | 'isRoot' | 'folder' | 'signal' | 'onWaiting'> {
  /** No file is younger; what containerd makes is of this second. */
  epochSec: number;
}

export interface ContainerStore {
  /**
   * What is to be /var/lib/containerd, in `deps.folder`: owners, modes, devices (whiteouts) and times are as they have to be. Made by a
   * user who is not root it is that only as seen in that user's namespace (rootRunner), with notes of overlayfs that storeFiles translates.
   */
  folder: string;
  images: readonly ImportedImage[];
}

export interface ImportedImage {
  name: string;
  /** Of the manifest, or of the index where the archive holds one: what `name@sha256:…` says. */
  digest: string;
  /** Of its layers, packed. */
  bytes: number;
}

/** Same images, same programs, same `epochSec`: the same tree, wherever and whenever it is made. */
export async function makeContainerStore(
  images: readonly StoreImage[],
  programs: StorePrograms,
  deps: StoreDeps,
): Promise<ContainerStore> {
  expectNames(images);
  // The programs run here, so what they unpack is for this machine's kind.
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const found: (StoreImage & ArchiveImage)[] = [];
  for (const image of images) {
    found.push({ ...image, ...(await imageInArchive(image.archive, image.name, { ...deps, architecture })) });
  }
  const runAsRoot = await imageRootRunner(deps.run, deps.isRoot);
  const scratch = join(deps.folder, 'container-store');
  const folder = join(scratch, 'containerd');
  await runTool(runAsRoot, ['rm', '-rf', '--one-file-system', scratch], deps.signal);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const imported = found.map(({ name, digest, bytes }) => ({ name, digest, bytes }));
  if (images.length === 0) return { folder, images: imported };
  const toImport = found.map((image) => ({
    archive: image.archive,
    digest: image.digest,
    labels: labelsOf(image),
    names: namesOf(image),
  }));
  const usages = await importImages(toImport, programs, { ...deps, runAsRoot, scratch, store: folder });
  finishStore(folder, { digests: digestsByName(found), usages, epochSec: deps.epochSec });
  // Younger ones only: what is in a layer keeps its time.
  const [moment, youngest] = [`--date=@${deps.epochSec}`, `@${deps.epochSec}`];
  const touch = ['touch', '--no-dereference', moment, '{}', '+'];
  await runTool(runAsRoot, ['find', folder, '-newermt', youngest, '-exec', ...touch], deps.signal);
  return { folder, images: imported };
}

/** `host/path:tag`, spelt out: the CRI looks for nothing else. It goes into command lines, too. */
const NAME =
  /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+:[\w][\w.-]{0,127}$/;

function expectNames(images: readonly StoreImage[]): void {
  const names = images.map(({ name }) => name);
  const bad = names.find((name) => !NAME.test(name));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (bad === undefined && twice === undefined) return;
  const why = bad === undefined ? 'given twice' : 'no full name of an image';
  throw new UserError(`${JSON.stringify(bad ?? twice)} is ${why}`, {
    code: 'image/bad-image-name',
    kept: 'No image was made.',
    next: 'name each image once as in registry.k8s.io/pause:3.10, then lock again',
  });
}

function labelsOf({ pin }: StoreImage): string[] {
  // The second is known to the CRI plugin from containerd 1.7.3 on; to an older one it means nothing.
  return ['io.cri-containerd.image=managed', ...(pin ? ['io.cri-containerd.pinned=pinned'] : [])];
}

/** As the CRI plugin names an image that it pulled: by its tag, by its digest, and by its id. */
function namesOf({ name, digest, configDigest }: StoreImage & ArchiveImage): string[] {
  return [name, `${name.slice(0, name.lastIndexOf(':'))}@${digest}`, configDigest];
}

function digestsByName(images: readonly (StoreImage & ArchiveImage)[]): Map<string, string> {
  return new Map(images.flatMap((image) => namesOf(image).map((name) => [name, image.digest] as const)));
}
