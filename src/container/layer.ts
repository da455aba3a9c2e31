// container/layer.ts: packs files into one image layer. The bytes depend only on the files.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createTar } from 'nanotar';

export interface LayerFile {
  /** Without a leading slash. */
  path: string;
  bytes: Uint8Array;
  isExecutable: boolean;
}

export interface OciLayer {
  /** The digest of the compressed bytes, for the manifest. */
  digest: string;
  /** The digest of the uncompressed archive, for the configuration. */
  diffId: string;
  blob: Uint8Array;
}

/** The limit of a tar header; nanotar truncates a longer name silently. */
const MAX_PATH_BYTES = 100;
const END_OF_ARCHIVE = new Uint8Array(1024);

/** Includes all parent folders. Root owns everything, so that the program, which runs as another user, cannot change it. */
export function layerOf(files: readonly LayerFile[]): OciLayer {
  const tar = tarOf(files);
  const blob = gzipSync(tar);
  return { digest: ociDigest(blob), diffId: ociDigest(tar), blob };
}

/** `attributes` of all files and folders. The time is in milliseconds. */
export function tarOf(
  files: readonly LayerFile[],
  attributes: { mtime: number; user?: string; group?: string } = { mtime: 0 },
): Buffer {
  return Buffer.concat([createTar(entriesOf(files), { attrs: { uid: 0, gid: 0, ...attributes } }), END_OF_ARCHIVE]);
}

export function ociDigest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function entriesOf(files: readonly LayerFile[]) {
  const byPath = new Map(files.map((file) => [file.path, file]));
  if (byPath.size < files.length) throw new Error('a path occurs twice in the layer');
  const folders = new Set(files.flatMap((file) => foldersAbove(file.path)));
  const entries = [
    ...[...folders].map((path) => ({ name: `${path}/`, attrs: { mode: '755' } })),
    ...files.map((file) => ({
      name: file.path,
      data: file.bytes,
      attrs: { mode: file.isExecutable ? '755' : '644' },
    })),
  ];
  for (const { name } of entries) {
    if (Buffer.byteLength(name) > MAX_PATH_BYTES) throw new Error(`path too long for a layer: ${name}`);
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1)); // a folder sorts before its content
}

/** `a/b/c` → `a`, `a/b` */
function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
