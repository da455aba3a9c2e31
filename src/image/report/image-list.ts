// image/report/image-list.ts: which container images come with an image? `images.json`: name, digest and size, for whoever asks what need not be pulled.
import { artifactsOf } from '../lock/content-hash.ts';
import type { ImageLock } from '../lock/lock.ts';

export interface ContainerImage {
  component: string;
  /** As kubelet asks for it: `registry.k8s.io/pause:3.10`. */
  name: string;
  /** Of its manifest, `sha256:…`. */
  digest: string;
  /** Of the archive it came in. */
  bytes: number;
}

/** Sorted by name. `digests`: of their manifests, by component. */
export function listImages(
  lock: ImageLock,
  kubernetes: string,
  digests: Readonly<Record<string, string>>,
): ContainerImage[] {
  return artifactsOf(lock, kubernetes)
    .filter(({ kind }) => kind === 'oci-image')
    .map(({ component, install, bytes }) => {
      const digest = digests[component];
      if (digest === undefined) throw new Error(`nobody has read the manifest of ${component}`);
      return { component, name: install?.to ?? component, digest, bytes };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function renderImageList(images: readonly ContainerImage[]): string {
  return `${JSON.stringify({ apiVersion: 'headstart.dev/v1', kind: 'ContainerImages', images }, null, 2)}\n`;
}
