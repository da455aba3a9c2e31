// image/manifest/version-for.ts: which version of a component does the image of this Kubernetes patch version get?
import type { FetchedComponent, FetchedVersion } from './manifest.ts';

/** checkManifest makes sure that there is a version for every image. */
export function versionFor({ name, versions }: FetchedComponent, kubernetes: string): FetchedVersion {
  const found =
    versions.find((version) => version.kubernetes === kubernetes) ??
    versions.find((version) => version.kubernetes === undefined);
  if (!found) throw new Error(`${name} has no version for ${kubernetes}`);
  return found;
}
