// image/manifest/version-for.ts: which version of a component is for this Kubernetes patch version?
import type { FetchedComponent, FetchedVersion } from './manifest.ts';

/** The check of the manifest sees to it that there is one. */
export function versionFor({ name, versions }: FetchedComponent, kubernetes: string): FetchedVersion {
  const found =
    versions.find((version) => version.kubernetes === kubernetes) ??
    versions.find((version) => version.kubernetes === undefined);
  if (!found) throw new Error(`${name} has no version for ${kubernetes}`);
  return found;
}
