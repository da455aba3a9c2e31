// image/report/purl.ts: how do scanners identify a component? Its package URL (purl).
import type { Artifact } from '../lock/lock.ts';

/** Undefined for an OCI image whose manifest digest is unknown: its purl contains the digest. */
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

/** Debian's vulnerability lists name source packages, which are the folders of the pool. */
export function sourcePackage({ component, path }: Pick<Artifact, 'component' | 'path'>): string {
  return /(?:^|\/)pool\/[^/]+\/[^/]+\/([^/]+)\/[^/]+\.deb$/.exec(path)?.[1] ?? component;
}

/** `registry.k8s.io:443/pause:3.10`: a colon after the last slash starts the tag, an earlier one the port. */
function imageName(name: string): { repository: string; tag: string | undefined } {
  const [, repository = name, tag] = /^(.*?)(?::([^/:@]+))?(?:@.*)?$/.exec(name) ?? [];
  return { repository, tag };
}

/** Sorts the qualifiers, so that one component has one spelling. */
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

/** The purl specification does not encode a colon. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':');
}
