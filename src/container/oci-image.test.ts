import { describe, expect, it } from 'vitest';
import { layerOf, ociDigest } from './layer.ts';
import { type ImageSpec, ociImageOf } from './oci-image.ts';

const layers = ['one', 'two'].map((path) => layerOf([{ path, bytes: Buffer.from(path), isExecutable: false }]));
const spec: ImageSpec = {
  architecture: 'amd64',
  layers,
  entrypoint: ['/usr/bin/node', '/opt/x.js'],
  env: { PATH: '/usr/bin', HOME: '/' },
  user: '65532:65532',
  labels: { a: 'b' },
  name: 'headstart:1.2.3',
};

describe('ociImageOf', () => {
  const image = ociImageOf(spec);
  const read = (path: string) => JSON.parse(Buffer.from(image.files.get(path)!).toString());
  const blob = ({ digest }: { digest: string }) => read(`blobs/${digest.replace(':', '/')}`);
  const [entry] = read('index.json').manifests;
  const manifest = blob(entry);
  const config = blob(manifest.config);

  it('names every blob by the sha256 of its bytes', () => {
    const blobs = [...image.files].filter(([path]) => path.startsWith('blobs/'));
    expect(blobs).toHaveLength(4);
    for (const [path, bytes] of blobs) expect(path).toBe(`blobs/${ociDigest(bytes).replace(':', '/')}`);
  });

  it('links the index to the manifest, and the manifest to configuration and layers, each with its size', () => {
    expect(read('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' });
    expect(entry.digest).toBe(image.digest);
    for (const part of [entry, manifest.config, ...manifest.layers]) {
      expect(image.files.get(`blobs/${part.digest.replace(':', '/')}`)?.length).toBe(part.size);
    }
    expect(manifest.layers.map(({ digest }: { digest: string }) => digest)).toEqual(layers.map((l) => l.digest));
    expect(config.rootfs.diff_ids).toEqual(layers.map((l) => l.diffId));
  });

  it('sets entry point, user and working folder', () => {
    expect(config).toMatchObject({ architecture: 'amd64', os: 'linux' });
    expect(config.config).toEqual({
      User: '65532:65532',
      Entrypoint: ['/usr/bin/node', '/opt/x.js'],
      Env: ['PATH=/usr/bin', 'HOME=/'],
      WorkingDir: '/',
      Labels: { a: 'b' },
    });
    expect(entry.annotations).toEqual({
      'org.opencontainers.image.ref.name': '1.2.3',
      'io.containerd.image.name': 'headstart:1.2.3',
    });
  });

  it('returns the same image for the same input', () => {
    expect(ociImageOf(spec)).toEqual(image);
  });
});
