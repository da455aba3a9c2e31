// image/manifest/compare-versions.ts: which of two versions of a component is newer? Packages compare as in dpkg, all other kinds as in semver, with any number of parts.
import { compareDebian } from './debian-version.ts';
import type { ComponentKind } from './manifest.ts';

/** Negative if `a` is older. */
export function compareComponentVersions(kind: ComponentKind, a: string, b: string): number {
  return compareDebian(...(kind === 'deb' ? ([a, b] as const) : ([asDebian(a), asDebian(b)] as const)));
}

/** Debian spells a pre-release with a tilde: `v1.2.0-rc.1+build` sorts before 1.2.0. Build metadata does not count. */
function asDebian(version: string): string {
  return version
    .replace(/^v(?=\d)/, '')
    .replace(/\+.*$/, '')
    .replaceAll('-', '~');
}
