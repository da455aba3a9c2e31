import { describe, expect, it } from 'vitest';
import { aLock, anArtifact, KUBERNETES } from '../lock/lock.testing.ts';
import { listImages, renderImageList } from './image-list.ts';

describe('the list of container images', () => {
  it('has name, digest and size of each', () => {
    const images = listImages(aLock(), KUBERNETES, { pause: `sha256:${'b'.repeat(64)}` });
    expect(images).toEqual([
      { component: 'pause', name: 'registry.k8s.io/pause:3.10', digest: `sha256:${'b'.repeat(64)}`, bytes: 1004 },
    ]);
    expect(JSON.parse(renderImageList(images))).toMatchObject({ kind: 'ContainerImages', images });
  });

  it('is in the order of names, and a component without a name for its image has its own', () => {
    const artifacts = [
      anArtifact('oci-image', 'z', '1', { install: { to: 'a.io/z:1' } }),
      anArtifact('oci-image', 'b', '1'),
    ];
    const digests = { z: 'sha256:1', b: 'sha256:2' };
    const images = listImages(aLock({ artifacts: artifacts.toReversed() }), KUBERNETES, digests);
    expect(images.map(({ name }) => name)).toEqual(['a.io/z:1', 'b']);
  });

  it('is not made without a digest', () => {
    expect(() => listImages(aLock(), KUBERNETES, {})).toThrow('nobody has read the manifest of pause');
  });
});
