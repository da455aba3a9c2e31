// container/layer.ts: a set of files as one image layer, whose bytes depend on nothing but the files.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createTar } from 'nanotar';

export interface LayerFile {
  /** From the root, without a leading slash. */
  path: string;
  bytes: Uint8Array;
  isExecutable: boolean;
}

export interface ImageLayer {
  /** Of the compressed bytes: what the manifest refers to. */
  digest: string;
  /** Of the archive inside: what the configuration refers to. */
  diffId: string;
  blob: Uint8Array;
}

/** A tar header holds no more; a longer name would be cut without a word. */
const MAX_PATH_BYTES = 100;
const END_OF_ARCHIVE = new Uint8Array(1024);

/** Folders are made for every file; all belongs to root, so that nothing the program does as another user can change it. */
export function layerOf(files: readonly LayerFile[]): ImageLayer {
  const tar = Buffer.concat([createTar(entriesOf(files), { attrs: { uid: 0, gid: 0, mtime: 0 } }), END_OF_ARCHIVE]);
  const blob = gzipSync(tar);
  return { digest: ociDigest(blob), diffId: ociDigest(tar), blob };
}

export function ociDigest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function entriesOf(files: readonly LayerFile[]) {
  const byPath = new Map(files.map((file) => [file.path, file]));
  if (byPath.size < files.length) throw new Error('one path occurs twice in a layer');
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
    if (Buffer.byteLength(name) > MAX_PATH_BYTES) throw new Error(`too long for a layer: ${name}`);
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1)); // a folder sorts before what is in it
}

/** `a/b/c` → `a`, `a/b` */
function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
