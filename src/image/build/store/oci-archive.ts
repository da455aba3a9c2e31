// image/build/store/oci-archive.ts: which image is in an archive of an OCI layout? Its digests, read without unpacking it.
import { closeSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { runTool } from '../../../host/run-tool.ts';

export interface ArchiveImage {
  /** Of the manifest, or of the index where there are several architectures: what `name@sha256:…` says. */
  digest: string;
  /** Of the configuration: what the CRI calls the image's id. */
  configDigest: string;
  /** Of its layers, packed. */
  bytes: number;
}

export interface ArchiveDeps {
  run: RunCommand;
  /** As OCI calls it: `amd64`. */
  architecture: string;
  signal?: AbortSignal | undefined;
}

export async function imageInArchive(archive: string, name: string, deps: ArchiveDeps): Promise<ArchiveImage> {
  if (!isTar(archive))
    throw unusable(name, 'its archive is no tar, or one that is packed, which containerd does not unpack');
  const read = (path: string) => readJson(archive, path, { ...deps, name });
  const { manifests } = parse(INDEX, await read('index.json'), name, 'index.json');
  const [target] = manifests;
  if (!target || manifests.length > 1)
    throw unusable(name, `its archive holds ${manifests.length} images, and which one is meant is not said`);
  const found = await manifestOf(target, name, { read, architecture: deps.architecture });
  const bytes = found.layers.reduce((sum, layer) => sum + layer.size, 0);
  return { digest: target.digest, configDigest: found.config.digest, bytes };
}

/** tar(1) itself would unpack it without a word. */
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
  if (!ours) throw unusable(name, `its archive has nothing for linux/${architecture}`);
  return parse(MANIFEST, await read(blobPath(ours.digest)), name, ours.digest);
}

const isFor = (platform: Descriptor['platform'], architecture: string) =>
  platform?.os === 'linux' && platform.architecture === architecture;

const blobPath = (digest: string) => `blobs/${digest.replace(':', '/')}`;

/** It goes into names and paths, so nothing else passes. */
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

/** Registries take no larger ones. */
const MAX_DOCUMENT_BYTES = 4 << 20;

async function readJson(archive: string, path: string, { run, name, signal }: ArchiveDeps & { name: string }) {
  // Some begin every path with `./`; a colon in a file's name would be another machine's name to tar.
  const argv = ['tar', '--extract', '--to-stdout', '--force-local', `--file=${archive}`, '--no-anchored'] as const;
  const limited: RunCommand = (all, options) => run(all, { ...options, maxBytes: MAX_DOCUMENT_BYTES });
  let text: string;
  try {
    text = await runTool(limited, [...argv, '--occurrence=1', path], signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw unusable(name, `its archive is not that of an OCI image layout (${path} is not in it)`, error);
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
  return new UserError(`the container image ${name} cannot be used: ${why}`, {
    code: 'image/bad-oci-archive',
    kept: 'No image was made.',
    next: `give ${name} as a tar of one OCI image layout, then lock again`,
    cause,
  });
}
