// image/report/purl.ts: what does the rest of the world call a component? A package URL, by which scanners look things up.
import type { Artifact } from '../lock/lock.ts';

/** Undefined for an OCI image of which only the archive is known: its name in the world is the digest of its manifest. */
export function purlOf(artifact: Artifact, imageDigest?: string): string | undefined {
  const { kind, component, version, sha256, install, origin, path } = artifact;
  switch (kind) {
    case 'deb': {
      const [publisher = 'debian', suite = ''] = origin.split(':');
      const distro = suite.replace(/[-/](?:updates|security|backports)$/, '');
      return purl(`deb/${publisher}`, component, version, {
        arch: /_([a-z0-9]+)\.deb$/.exec(path)?.[1],
        distro: distro || undefined,
      });
    }
    case 'binary':
    case 'archive':
      return purl('generic', component, version, { checksum: `sha256:${sha256}` });
    case 'oci-image': {
      if (imageDigest === undefined) return undefined;
      const { repository, tag } = imageName(install?.to ?? component);
      const last = repository.split('/').at(-1)!;
      return purl('oci', last, imageDigest, { repository_url: repository, tag });
    }
  }
}

/** The folder in the pool is the source package: vulnerability lists of Debian speak of those. */
export function sourcePackage({ component, path }: Pick<Artifact, 'component' | 'path'>): string {
  return /(?:^|\/)pool\/[^/]+\/[^/]+\/([^/]+)\/[^/]+\.deb$/.exec(path)?.[1] ?? component;
}

/** `registry.k8s.io:443/pause:3.10`: a colon after the last slash parts the tag, an earlier one a port. */
function imageName(name: string): { repository: string; tag: string | undefined } {
  const [, repository = name, tag] = /^(.*?)(?::([^/:@]+))?(?:@.*)?$/.exec(name) ?? [];
  return { repository, tag };
}

/** Qualifiers in the order of their names, so that one component has one spelling. */
function purl(
  type: string,
  name: string,
  version: string,
  qualifiers: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(qualifiers)
    .filter((one): one is [string, string] => one[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${encoded(value).replaceAll('%2F', '/')}`);
  return `pkg:${type}/${encoded(name)}@${encoded(version)}${given.length > 0 ? `?${given.join('&')}` : ''}`;
}

/** The specification leaves a colon as it is. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':');
}
