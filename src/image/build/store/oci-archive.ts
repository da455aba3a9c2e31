// image/build/store/oci-archive.ts: which image is in an OCI layout archive? Reads its digests without unpacking it.
import { closeSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { runTool } from '../../../host/run-tool.ts';

export interface ArchiveImage {
  /** Digest of the manifest, or of the index if there are several architectures: the digest in `name@sha256:…`. */
  digest: string;
  /** Digest of the configuration: the image id in the CRI. */
  configDigest: string;
  /** Compressed size of the layers. */
  bytes: number;
}

export interface ArchiveDeps {
  run: RunCommand;
  /** OCI name: `amd64`. */
  architecture: string;
  signal?: AbortSignal | undefined;
}

export async function imageInArchive(archive: string, name: string, deps: ArchiveDeps): Promise<ArchiveImage> {
  if (!isTar(archive)) throw unusable(name, 'its archive is not an uncompressed tar');
  const read = (path: string) => readJson(archive, path, { ...deps, name });
  const { manifests } = parse(INDEX, await read('index.json'), name, 'index.json');
  const [target] = manifests;
  if (!target || manifests.length > 1)
    throw unusable(name, `its archive contains ${manifests.length} images, expected one`);
  const found = await manifestOf(target, name, { read, architecture: deps.architecture });
  const bytes = found.layers.reduce((sum, layer) => sum + layer.size, 0);
  return { digest: target.digest, configDigest: found.config.digest, bytes };
}

/** tar(1) would silently decompress the archive, but containerd does not. */
function isTar(file: string): boolean {
  const magic = Buffer.alloc(5);
  const fd = openSync(file, 'r');
  try {
    readSync(fd, magic, 0, magic.length, 257);
  } finally {
    closeSync(fd);
  }
  return magic.toString('latin1') === 'ustar';
}

interface ArchiveReader {
  read: (path: string) => Promise<unknown>;
  architecture: string;
}

async function manifestOf(
  { digest }: Descriptor,
  name: string,
  { read, architecture }: ArchiveReader,
): Promise<OciManifest> {
  const document = await read(blobPath(digest));
  const index = INDEX.safeParse(document);
  if (!index.success) return parse(MANIFEST, document, name, digest);
  const ours = index.data.manifests.find(({ platform }) => isFor(platform, architecture));
  if (!ours) throw unusable(name, `its archive has no image for linux/${architecture}`);
  return parse(MANIFEST, await read(blobPath(ours.digest)), name, ours.digest);
}

const isFor = (platform: Descriptor['platform'], architecture: string) =>
  platform?.os === 'linux' && platform.architecture === architecture;

const blobPath = (digest: string) => `blobs/${digest.replace(':', '/')}`;

/** Digests become part of names and paths, so accept only this form. */
const DIGEST = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const DESCRIPTOR = z.object({
  digest: DIGEST,
  size: z.number().int().nonnegative(),
  platform: z.object({ os: z.string(), architecture: z.string() }).optional(),
});
type Descriptor = z.infer<typeof DESCRIPTOR>;
const INDEX = z.object({ manifests: z.array(DESCRIPTOR) });
const MANIFEST = z.object({ config: DESCRIPTOR, layers: z.array(DESCRIPTOR) });
type OciManifest = z.infer<typeof MANIFEST>;

/** Registries limit documents to this size. */
const MAX_DOCUMENT_BYTES = 4 << 20;

async function readJson(archive: string, path: string, { run, name, signal }: ArchiveDeps & { name: string }) {
  // Some archives prefix paths with `./`. Without --force-local, tar takes a colon in the file name for a host name.
  const argv = ['tar', '--extract', '--to-stdout', '--force-local', `--file=${archive}`, '--no-anchored'] as const;
  const limited: RunCommand = (all, options) => run(all, { ...options, maxBytes: MAX_DOCUMENT_BYTES });
  let text: string;
  try {
    text = await runTool(limited, [...argv, '--occurrence=1', path], signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw unusable(name, `its archive is not an OCI image layout (it has no ${path})`, error);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw unusable(name, `${path} in its archive is not JSON`, error);
  }
}

function parse<T>(schema: z.ZodType<T>, document: unknown, name: string, path: string): T {
  const parsed = schema.safeParse(document);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw unusable(name, `${path} in its archive: ${issue?.path.join('.')} ${issue?.message}`, parsed.error);
}

function unusable(name: string, why: string, cause?: unknown): UserError {
  return new UserError(`cannot use the container image ${name}: ${why}`, {
    code: 'image/bad-oci-archive',
    kept: 'No image was built.',
    next: `provide ${name} as a tar of an OCI image layout with one image, then lock again`,
    cause,
  });
}
