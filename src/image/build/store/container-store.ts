// image/build/store/container-store.ts: how does an image get containerd's store? With container images imported and unpacked, so that no node has to do it at boot.
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
  /** A tar of an OCI image layout; its hash was verified against the lock. */
  archive: string;
  /** Its name on the node: `registry.k8s.io/pause:3.10`. */
  name: string;
  /** kubelet's image garbage collection never deletes it. */
  pin: boolean;
}

/** Programs of the version that is on the image; this machine must be able to run them. */
export interface StorePrograms {
  containerd: string;
  ctr: string;
}

export interface StoreDeps extends Pick<ImageBuildDeps, 'run' | 'isRoot' | 'folder' | 'signal' | 'onWaiting'> {
  /** No file has a later time; what containerd creates gets this time. */
  epochSec: number;
}

export interface ContainerStore {
  /**
   * The content of /var/lib/containerd, in `deps.folder`, with final owners, modes, devices (whiteouts) and times. If the user is not root,
   * owners are correct only inside the user's namespace (rootRunner), and overlayfs attributes need the translation of storeFiles.
   */
  folder: string;
  images: readonly ImportedImage[];
}

export interface ImportedImage {
  name: string;
  /** Digest of the manifest, or of the index if the archive has one: the digest in `name@sha256:…`. */
  digest: string;
  /** Compressed size of the layers. */
  bytes: number;
}

/** The same images, programs and `epochSec` make the same tree on any machine. */
export async function makeContainerStore(
  images: readonly StoreImage[],
  programs: StorePrograms,
  deps: StoreDeps,
): Promise<ContainerStore> {
  expectNames(images);
  // The programs run on this machine, so they unpack images of its architecture.
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
  // Only newer files: files of a layer keep their time.
  const [moment, youngest] = [`--date=@${deps.epochSec}`, `@${deps.epochSec}`];
  const touch = ['touch', '--no-dereference', moment, '{}', '+'];
  await runTool(runAsRoot, ['find', folder, '-newermt', youngest, '-exec', ...touch], deps.signal);
  return { folder, images: imported };
}

/** A full name, `host/path:tag`, as the CRI requires. Also keeps special characters out of command lines. */
const NAME =
  /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+:[\w][\w.-]{0,127}$/;

function expectNames(images: readonly StoreImage[]): void {
  const names = images.map(({ name }) => name);
  const bad = names.find((name) => !NAME.test(name));
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (bad === undefined && twice === undefined) return;
  const why = bad === undefined ? 'listed twice' : 'not a full image name';
  throw new UserError(`${JSON.stringify(bad ?? twice)} is ${why}`, {
    code: 'image/bad-image-name',
    kept: 'No image was built.',
    next: 'name each image once, in the form registry.k8s.io/pause:3.10, then lock again',
  });
}

function labelsOf({ pin }: StoreImage): string[] {
  // The CRI plugin supports the second label since containerd 1.7.3; older versions ignore it.
  return ['io.cri-containerd.image=managed', ...(pin ? ['io.cri-containerd.pinned=pinned'] : [])];
}

/** The names that the CRI plugin gives a pulled image: tag, digest and id. */
function namesOf({ name, digest, configDigest }: StoreImage & ArchiveImage): string[] {
  return [name, `${name.slice(0, name.lastIndexOf(':'))}@${digest}`, configDigest];
}

function digestsByName(images: readonly (StoreImage & ArchiveImage)[]): Map<string, string> {
  return new Map(images.flatMap((image) => namesOf(image).map((name) => [name, image.digest] as const)));
}
