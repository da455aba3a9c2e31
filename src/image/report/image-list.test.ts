import { describe, expect, it } from 'vitest';
import { aLock, anArtifact, KUBERNETES } from '../lock/lock.testing.ts';
import { listImages, renderImageList } from './image-list.ts';

describe('listImages', () => {
  it('returns name, digest and size of each image', () => {
    const images = listImages(aLock(), KUBERNETES, { pause: `sha256:${'b'.repeat(64)}` });
    expect(images).toEqual([
      { component: 'pause', name: 'registry.k8s.io/pause:3.10', digest: `sha256:${'b'.repeat(64)}`, bytes: 1004 },
    ]);
    expect(JSON.parse(renderImageList(images))).toMatchObject({ kind: 'ContainerImages', images });
  });

  it('sorts by name, and uses the component name for an image without a name', () => {
    const artifacts = [
      anArtifact('oci-image', 'z', '1', { install: { to: 'a.io/z:1' } }),
      anArtifact('oci-image', 'b', '1'),
    ];
    const digests = { z: 'sha256:1', b: 'sha256:2' };
    const images = listImages(aLock({ artifacts: artifacts.toReversed() }), KUBERNETES, digests);
    expect(images.map(({ name }) => name)).toEqual(['a.io/z:1', 'b']);
  });

  it('throws if a digest is missing', () => {
    expect(() => listImages(aLock(), KUBERNETES, {})).toThrow('no manifest digest for pause');
  });
});
