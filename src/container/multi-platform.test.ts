import { describe, expect, it } from 'vitest';
import { ociDigest } from './layer.ts';
import { blob, image, images, read } from './testing.ts';

describe('joinPlatforms', () => {
  const outer = read(image.files, 'index.json');
  const index = blob(image.files, outer.manifests[0]);

  it('has one entry, the index of all platforms, whose digest is that of the image', () => {
    expect(outer.manifests).toHaveLength(1);
    expect(outer.manifests[0]).toMatchObject({ digest: image.digest, mediaType: outer.mediaType });
    expect(index.manifests).toEqual(images.map(({ manifest }) => manifest));
    expect(index.manifests.map((one: { platform: object }) => one.platform)).toEqual([
      { architecture: 'amd64', os: 'linux' },
      { architecture: 'arm64', os: 'linux' },
    ]);
  });

  it("has the complete name that kubelet gives to a pod's image", () => {
    expect(outer.manifests[0].annotations).toEqual({
      'org.opencontainers.image.ref.name': '1.2.3',
      'io.containerd.image.name': 'docker.io/library/headstart:1.2.3',
    });
  });

  it('contains every blob once, under the sha256 of its bytes', () => {
    const blobs = [...image.files].filter(([path]) => path.startsWith('blobs/'));
    expect(blobs).toHaveLength(1 + 2 + 2 + 3); // index, manifests, configurations, layers: one of them is shared
    for (const [path, bytes] of blobs) expect(path).toBe(`blobs/${ociDigest(bytes).replace(':', '/')}`);
  });
});
