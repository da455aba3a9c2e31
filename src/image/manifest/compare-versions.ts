// image/manifest/compare-versions.ts: which of two versions of a component is newer? Packages as dpkg has it, everything else as its makers number it.
import { compareDebian } from './debian-version.ts';
import type { ComponentKind } from './manifest.ts';

/** Negative: `a` is older. */
export function compareComponentVersions(kind: ComponentKind, a: string, b: string): number {
  return compareDebian(...(kind === 'deb' ? ([a, b] as const) : ([asDebian(a), asDebian(b)] as const)));
}

/** `v1.2.0-rc.1+build`: before 1.2.0, which in Debian's words is a tilde; what was built of it when does not count. */
function asDebian(version: string): string {
  return version
    .replace(/^v(?=\d)/, '')
    .replace(/\+.*$/, '')
    .replaceAll('-', '~');
}
