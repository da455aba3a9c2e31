// image/update/update-policy.ts: does a component's update policy allow a newer version?
import { compareComponentVersions } from '../manifest/compare-versions.ts';
import { upstreamOf } from '../manifest/constraints.ts';
import type { Component, ComponentKind } from '../manifest/manifest.ts';

export function isProposable(policy: Component['update'], kind: ComponentKind, from: string, to: string): boolean {
  if (policy === 'frozen' || compareComponentVersions(kind, from, to) >= 0 || isEarly(to)) return false;
  const [before, after] = [numbersOf(kind, from), numbersOf(kind, to)];
  // `252.39` has no third number: its second one counts patches. A date is a single number: only a new Debian revision is a patch.
  const fixed = policy === 'minor' ? Math.min(1, before.length - 1) : Math.max(1, Math.min(2, before.length - 1));
  return before.slice(0, fixed).every((number, i) => number === after[i]);
}

/** The newest allowed version. */
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

/** Pre-releases are never proposed. A Debian tilde is not checked: it does not always mark a pre-release. */
function isEarly(version: string): boolean {
  return /-(?:alpha|beta|rc|pre)[.\d]*/i.test(version);
}
