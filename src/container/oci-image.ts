// container/oci-image.ts: creates an OCI image layout from layers and a configuration. Registry tools can push it and engines import it.
import { type OciLayer, ociDigest } from './layer.ts';

export interface ImageSpec {
  architecture: 'amd64' | 'arm64';
  layers: readonly OciLayer[];
  entrypoint: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Numeric `uid:gid`: Kubernetes can verify runAsNonRoot only for a number. */
  user: string;
  labels: Readonly<Record<string, string>>;
  /** The image's name after an import. */
  name: string;
}

/** Names bytes by their hash. */
export interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  platform?: { architecture: string; os: string };
}

export interface OciImage {
  /** The digest in `image@sha256:…`. */
  digest: string;
  /** What the layout's only entry refers to: a manifest, or the index of all platforms. */
  manifest: Descriptor;
  /** Path in the layout → bytes. */
  files: ReadonlyMap<string, Uint8Array>;
}

export const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json';
/** The files of a layout that are not blobs. */
export const OUTER_FILES: readonly string[] = ['oci-layout', 'index.json'];
const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG_TYPE = 'application/vnd.oci.image.config.v1+json';
const LAYER_TYPE = 'application/vnd.oci.image.layer.v1.tar+gzip';

export function ociImageOf(spec: ImageSpec): OciImage {
  const config = json({
    // No build time, so that builds are reproducible.
    created: '1970-01-01T00:00:00Z',
    architecture: spec.architecture,
    os: 'linux',
    config: {
      User: spec.user,
      Entrypoint: spec.entrypoint,
      Env: Object.entries(spec.env).map(([key, value]) => `${key}=${value}`),
      WorkingDir: '/',
      Labels: spec.labels,
    },
    rootfs: { type: 'layers', diff_ids: spec.layers.map((layer) => layer.diffId) },
  });
  const manifest = json({
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: { mediaType: CONFIG_TYPE, digest: ociDigest(config), size: config.length },
    layers: spec.layers.map(({ digest, blob }) => ({ mediaType: LAYER_TYPE, digest, size: blob.length })),
  });
  const descriptor: Descriptor = {
    mediaType: MANIFEST_TYPE,
    digest: ociDigest(manifest),
    size: manifest.length,
    platform: { architecture: spec.architecture, os: 'linux' },
  };
  const annotations = {
    'org.opencontainers.image.ref.name': spec.name.slice(spec.name.lastIndexOf(':') + 1),
    'io.containerd.image.name': spec.name,
  };
  const index = json({ schemaVersion: 2, mediaType: INDEX_TYPE, manifests: [{ ...descriptor, annotations }] });
  const blobs = [...spec.layers.map((layer) => layer.blob), config, manifest];
  return {
    digest: descriptor.digest,
    manifest: descriptor,
    files: new Map([
      ['oci-layout', json({ imageLayoutVersion: '1.0.0' })],
      ['index.json', index],
      ...blobs.map((blob) => [`blobs/${ociDigest(blob).replace(':', '/')}`, blob] as const),
    ]),
  };
}

export function json(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
