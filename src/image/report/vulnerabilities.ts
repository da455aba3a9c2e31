// image/report/vulnerabilities.ts: which known vulnerabilities does a lock have, and how do two locks differ? Pure; the caller passes the list.

import type { Artifact, ImageLock } from '../lock/lock.ts';
import { compareComponentVersions } from '../manifest/compare-versions.ts';
import { sourcePackage } from './purl.ts';
import type { Vulnerability } from './vulnerability-feed.ts';

export interface VulnerabilityFinding {
  id: string;
  severity?: string;
  component: string;
  version: string;
  /** The first version without the vulnerability, if the feed has it. */
  fixed?: string;
}

export interface VulnerabilityDiff {
  fixed: VulnerabilityFinding[];
  new: VulnerabilityFinding[];
  /** In both. */
  remaining: VulnerabilityFinding[];
}

export function diffVulnerabilities(from: ImageLock, to: ImageLock, feed: readonly Vulnerability[]): VulnerabilityDiff {
  const [before, after] = [findVulnerabilities(from, feed), findVulnerabilities(to, feed)];
  const key = ({ id, component }: VulnerabilityFinding) => JSON.stringify([id, component]);
  const [had, has] = [new Set(before.map(key)), new Set(after.map(key))];
  return {
    fixed: before.filter((one) => !has.has(key(one))),
    new: after.filter((one) => !had.has(key(one))),
    remaining: after.filter((one) => had.has(key(one))),
  };
}

/** Sorted by component and id; one finding even if several images have the component. */
export function findVulnerabilities(lock: ImageLock, feed: readonly Vulnerability[]): VulnerabilityFinding[] {
  const release = RELEASES[lock.base.origin.replace(/^.*:/, '')];
  const byPackage = Map.groupBy(feed, (one) => one.package);
  const found = new Map<string, VulnerabilityFinding>();
  for (const artifact of lock.artifacts) {
    const { component, version, kind } = artifact;
    const names = kind === 'deb' ? new Set([component, sourcePackage(artifact)]) : new Set([component]);
    for (const one of [...names].flatMap((name) => byPackage.get(name) ?? [])) {
      if (one.isDebian !== (kind === 'deb')) continue;
      if (one.release !== undefined && release !== undefined && one.release !== release) continue;
      const hit = affects(one, artifact);
      if (!hit) continue;
      const { id, severity } = one;
      const finding = { id, ...(severity !== undefined && { severity }), component, version };
      found.set(JSON.stringify([component, id]), { ...finding, ...(hit.fixed !== undefined && { fixed: hit.fixed }) });
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, finding]) => finding);
}

const RELEASES: Readonly<Record<string, string>> = { bullseye: '11', bookworm: '12', trixie: '13', forky: '14' };

function affects({ ranges, versions }: Vulnerability, { kind, version }: Artifact): { fixed?: string } | undefined {
  // A binary rebuild (`+b1`) has a version that the source package does not have.
  const seen = kind === 'deb' ? version.replace(/\+b\d+$/, '') : version;
  const isSince = (from: string) => from === '0' || compareComponentVersions(kind, seen, from) >= 0;
  const range = ranges.find(
    ({ introduced, fixed, last }) =>
      isSince(introduced) &&
      (fixed === undefined || compareComponentVersions(kind, seen, fixed) < 0) &&
      (last === undefined || compareComponentVersions(kind, seen, last) <= 0),
  );
  if (range) return range.fixed === undefined ? {} : { fixed: range.fixed };
  return versions.includes(version) || versions.includes(seen) ? {} : undefined;
}
