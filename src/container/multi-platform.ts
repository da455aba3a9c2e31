// container/multi-platform.ts: one image for several platforms, whose digest is the same wherever it is loaded or pushed.
import { ociDigest } from './layer.ts';
import { type Descriptor, INDEX_TYPE, json, type OciImage, OUTER_FILES } from './oci-image.ts';

/**
 * Kubelet completes `headstart:1.0` in a pod to this name and looks for it in containerd. Importers that use the name as it is, such
 * as `ctr images import`, must therefore find the complete one.
 */
const COMPLETE = 'docker.io/library/';

/**
 * The index of all platforms is itself a blob, and the only entry of the layout: tools that import or push the layout keep that
 * index, and so its digest.
 */
export function joinPlatforms(images: readonly OciImage[], name: string): OciImage {
  const index = json({
    schemaVersion: 2,
    mediaType: INDEX_TYPE,
    manifests: images.map(({ manifest }) => manifest),
  });
  const blobs = images.flatMap(({ files }) => [...files].filter(([path]) => !OUTER_FILES.includes(path)));
  const manifest: Descriptor = { mediaType: INDEX_TYPE, digest: ociDigest(index), size: index.length };
  const annotations = {
    'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
    'io.containerd.image.name': `${COMPLETE}${name}`,
  };
  return {
    digest: manifest.digest,
    manifest,
    files: new Map([
      ['oci-layout', json({ imageLayoutVersion: '1.0.0' })],
      ['index.json', json({ schemaVersion: 2, mediaType: INDEX_TYPE, manifests: [{ ...manifest, annotations }] })],
      [`blobs/${manifest.digest.replace(':', '/')}`, index],
      ...blobs,
    ]),
  };
}
