// image/update/update-policy.ts: is a newer version one that a component's policy lets be proposed?
import { compareComponentVersions } from '../manifest/compare-versions.ts';
import { upstreamOf } from '../manifest/constraints.ts';
import type { Component, ComponentKind } from '../manifest/manifest.ts';

export function isProposable(policy: Component['update'], kind: ComponentKind, from: string, to: string): boolean {
  if (policy === 'frozen' || compareComponentVersions(kind, from, to) >= 0 || isEarly(to)) return false;
  const [before, after] = [numbersOf(kind, from), numbersOf(kind, to)];
  // `252.39` has no third number: its second counts the patches. A date has only one, and only Debian's own revision is a patch of it.
  const fixed = policy === 'minor' ? Math.min(1, before.length - 1) : Math.max(1, Math.min(2, before.length - 1));
  return before.slice(0, fixed).every((number, i) => number === after[i]);
}

/** The newest of them that may be proposed. */
export function bestOf<T extends { version: string }>(
  policy: Component['update'],
  kind: ComponentKind,
  from: string,
  offered: readonly T[],
): T | undefined {
  return offered
    .filter(({ version }) => isProposable(policy, kind, from, version))
    .reduce<T | undefined>(
      (best, each) => (best && compareComponentVersions(kind, best.version, each.version) >= 0 ? best : each),
      undefined,
    );
}

function numbersOf(kind: ComponentKind, version: string): string[] {
  const upstream = kind === 'deb' ? upstreamOf(version) : version.replace(/^v/, '');
  return (/^\d+(?:\.\d+)*/.exec(upstream)?.[0] ?? upstream).split('.');
}

/** Nobody asked for a release candidate. Debian's tilde may mean anything. */
function isEarly(version: string): boolean {
  return /-(?:alpha|beta|rc|pre)[.\d]*/i.test(version);
}
