// container/image-archive.ts: packs an image layout into one file that engines load: an OCI archive, with Docker's list of images beside it.
import { createTar } from 'nanotar';
import { type Descriptor, json, type OciImage } from './oci-image.ts';

const END_OF_ARCHIVE = new Uint8Array(1024);

/**
 * The bytes depend only on the image. Docker without containerd's image store reads `manifest.json` only, which has no platforms: each
 * platform has a tag of its own there (`headstart:1.0-arm64`), so that no machine starts a program of another architecture.
 */
export function imageArchive(image: OciImage, name: string): Uint8Array {
  const files = [...image.files, ['manifest.json', dockerManifest(image, name)] as const];
  const entries = files
    .map(([path, data]) => ({ name: path, data }))
    // The few small files first: a program that reads the archive as a stream needs them before the layers.
    .sort((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1));
  return Buffer.concat([createTar(entries, { attrs: { uid: 0, gid: 0, mtime: 0, mode: '644' } }), END_OF_ARCHIVE]);
}

const rank = (path: string) => (path.startsWith('blobs/') ? 1 : 0);

interface Manifest {
  config: Descriptor;
  layers: Descriptor[];
}

function dockerManifest({ files, manifest }: OciImage, name: string): Uint8Array {
  const read = <T>(descriptor: Descriptor): T => {
    const bytes = files.get(blobPath(descriptor));
    return JSON.parse(Buffer.from(bytes ?? []).toString()) as T;
  };
  const { manifests } = read<{ manifests: Descriptor[] }>(manifest);
  return json(
    manifests.map((one) => {
      const { config, layers } = read<Manifest>(one);
      return {
        Config: blobPath(config),
        RepoTags: [`${name}-${one.platform?.architecture}`],
        Layers: layers.map(blobPath),
      };
    }),
  );
}

function blobPath({ digest }: Descriptor): string {
  return `blobs/${digest.replace(':', '/')}`;
}
