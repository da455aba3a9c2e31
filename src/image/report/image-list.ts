// image/report/image-list.ts: which container images does an image contain? Renders `images.json`: images that a node does not need to pull.
import { artifactsOf } from '../lock/content-hash.ts';
import type { ImageLock } from '../lock/lock.ts';

export interface ContainerImage {
  component: string;
  /** The name that kubelet pulls: `registry.k8s.io/pause:3.10`. */
  name: string;
  /** The digest of its manifest, `sha256:…`. */
  digest: string;
  /** The size of its archive. */
  bytes: number;
}

/** Sorted by name. `digests`: manifest digests by component. */
export function listImages(
  lock: ImageLock,
  kubernetes: string,
  digests: Readonly<Record<string, string>>,
): ContainerImage[] {
  return artifactsOf(lock, kubernetes)
    .filter(({ kind }) => kind === 'oci-image')
    .map(({ component, install, bytes }) => {
      const digest = digests[component];
      if (digest === undefined) throw new Error(`no manifest digest for ${component}`);
      return { component, name: install?.to ?? component, digest, bytes };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function renderImageList(images: readonly ContainerImage[]): string {
  return `${JSON.stringify({ apiVersion: 'headstart.dev/v1', kind: 'ContainerImages', images }, null, 2)}\n`;
}
