// container/oci-image.ts: layers and a configuration as an OCI image layout, which every registry tool can push and every engine can import.
import { type ImageLayer, ociDigest } from './layer.ts';

export interface ImageSpec {
  architecture: 'amd64' | 'arm64';
  layers: readonly ImageLayer[];
  entrypoint: readonly string[];
  env: Readonly<Record<string, string>>;
  /** `uid:gid`, in numbers: a cluster checks "not root" only on a number. */
  user: string;
  labels: Readonly<Record<string, string>>;
  /** What the image is called once imported. */
  name: string;
}

export interface OciImage {
  /** The image's own digest: what `image@sha256:…` names. */
  digest: string;
  /** Path in the layout → bytes. */
  files: ReadonlyMap<string, Uint8Array>;
}

const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG_TYPE = 'application/vnd.oci.image.config.v1+json';
const LAYER_TYPE = 'application/vnd.oci.image.layer.v1.tar+gzip';

export function ociImageOf(spec: ImageSpec): OciImage {
  const config = json({
    // No build time: it would be the only thing that differs between two builds of the same bytes.
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
  const index = json({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        mediaType: MANIFEST_TYPE,
        digest: ociDigest(manifest),
        size: manifest.length,
        platform: { architecture: spec.architecture, os: 'linux' },
        annotations: {
          'org.opencontainers.image.ref.name': spec.name.slice(spec.name.lastIndexOf(':') + 1),
          'io.containerd.image.name': spec.name,
        },
      },
    ],
  });
  const blobs = [...spec.layers.map((layer) => layer.blob), config, manifest];
  return {
    digest: ociDigest(manifest),
    files: new Map([
      ['oci-layout', json({ imageLayoutVersion: '1.0.0' })],
      ['index.json', index],
      ...blobs.map((blob) => [`blobs/${ociDigest(blob).replace(':', '/')}`, blob] as const),
    ]),
  };
}

function json(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
